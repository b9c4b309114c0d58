// SPDX-License-Identifier: Apache-2.0
// What operations promise of their progress: kept, and not.
#include <atomic>
#include <jostle/linearizable.hpp>
#include <mutex>
#include <optional>

#include "stacks.h"

namespace {

using jostle::gen::range;

// The usual one, which somebody has called lock-free.
class LockedCounter {
 public:
  int add() {
    const std::lock_guard hold(mutex_);
    return value_++;
  }
  int get() {
    const std::lock_guard hold(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
};

// No lock to be seen, but a thread that stops between taking and giving it stops all others.
class SpinningCounter {
 public:
  int add() {
    while (taken_.exchange(true, std::memory_order_acquire)) {
    }
    const int before = value_++;
    taken_.store(false, std::memory_order_release);
    return before;
  }

 private:
  std::atomic<bool> taken_ = false;
  int value_ = 0;
};

// The same, with a wait that gets longer.
class PatientCounter {
 public:
  int add() {
    for (int wait = 1; taken_.exchange(true, std::memory_order_acquire); wait *= 2) {
      for (std::atomic<int> left = wait % 1000; left > 0; --left) {
      }
    }
    const int before = value_++;
    taken_.store(false, std::memory_order_release);
    return before;
  }

 private:
  std::atomic<bool> taken_ = false;
  int value_ = 0;
};

// Whoever comes later takes it from the other: alone each gets through, but two may take it from
// each other for ever.
class PoliteCounter {
 public:
  int add(int who) {
    for (;;) {
      owner_.store(who);
      const int before = value_.load();
      if (owner_.load() != who) continue;
      int expected = before;
      if (value_.compare_exchange_strong(expected, before + 1)) return before;
    }
  }

 private:
  std::atomic<int> owner_ = 0, value_ = 0;
};

// Some thread always succeeds, but one may try for ever.
class RetryingCounter {
 public:
  int add() {
    int before = value_.load();
    while (!value_.compare_exchange_strong(before, before + 1)) {
    }
    return before;
  }

 private:
  std::atomic<int> value_ = 0;
};

class AtomicCounter {
 public:
  int add() { return value_.fetch_add(1); }
  int get() { return value_.load(); }

 private:
  std::atomic<int> value_ = 0;
};

}  // namespace

JOSTLE_LINEARIZABLE(LockInside) {
  auto counter = share<LockedCounter>();
  operation("add", [=] { return counter->add(); });
  operation("get", [=] { return counter->get(); }).lock_free();
}

JOSTLE_LINEARIZABLE(SpinInside) {
  auto counter = share<SpinningCounter>();
  operation("add", [=] { return counter->add(); }).obstruction_free();
}

JOSTLE_LINEARIZABLE(PatientInside) {
  auto counter = share<PatientCounter>();
  operation("add", [=] { return counter->add(); }).lock_free();
}

JOSTLE_LINEARIZABLE(PoliteLockFree, jostle::scenarios{.threads = {2, 2}, .operations = {1, 2}}) {
  auto counter = share<PoliteCounter>();
  operation("add", range(1, 9), [=](int who) { return counter->add(who); }).lock_free();
}

JOSTLE_LINEARIZABLE(PoliteObstructionFree) {
  auto counter = share<PoliteCounter>();
  operation("add", range(1, 9), [=](int who) { return counter->add(who); }).obstruction_free();
}

JOSTLE_LINEARIZABLE(RetryingWaitFree) {
  auto counter = share<RetryingCounter>();
  operation("add", [=] { return counter->add(); });
  wait_free(100);
}

JOSTLE_LINEARIZABLE(RetryingLockFree) {
  auto counter = share<RetryingCounter>();
  operation("add", [=] { return counter->add(); });
  lock_free();
}

JOSTLE_LINEARIZABLE(AtomicWaitFree) {
  auto counter = share<AtomicCounter>();
  operation("add", [=] { return counter->add(); }).wait_free(4);
  operation("get", [=] { return counter->get(); }).wait_free(4);
}

JOSTLE_LINEARIZABLE(StackLockFree) {
  auto stack = share<PoolStack<true>>();
  operation("push", range(0, 2), [=](int v) { stack->push(v); });
  operation("pop", [=] { return stack->pop(); });
  lock_free();
}

// A long operation is none that never returns.
JOSTLE_LINEARIZABLE(LongButLockFree, jostle::scenarios{.threads = {2, 2}, .operations = {1, 1}}) {
  auto sum = share<std::atomic<long>>(0);
  operation("add", [=] {
    for (int i = 0; i < 60'000; ++i) sum->fetch_add(1);
  }).weak();
  lock_free();
}

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
