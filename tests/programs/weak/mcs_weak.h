// The queue lock of Mellor-Crummey and Scott: every increment counts.
#ifndef TESTS_PROGRAMS_WEAK_MCS_WEAK_H
#define TESTS_PROGRAMS_WEAK_MCS_WEAK_H

#include <assert.h>

#include <atomic>
#include <thread>

struct Waiter {
  std::atomic<Waiter*> next{nullptr};
  std::atomic<bool> waits{false};
};
std::atomic<Waiter*> last{nullptr};
std::atomic<int> counter;

void lock(Waiter& me) {
  me.waits.store(true, std::memory_order_relaxed);
  Waiter* before = last.exchange(&me, std::memory_order_acq_rel);
  if (!before) return;
  before->next.store(&me, std::memory_order_release);
  while (me.waits.load(std::memory_order_acquire)) {
  }
}

void unlock(Waiter& me) {
  Waiter* next = me.next.load(std::memory_order_acquire);
  if (!next) {
    Waiter* expected = &me;
    if (last.compare_exchange_strong(expected, nullptr, std::memory_order_release,
                                     std::memory_order_relaxed)) {
      return;
    }
    while (!(next = me.next.load(std::memory_order_acquire))) {
    }
  }
  next->waits.store(false, HAND_OVER);
}

void worker(Waiter& me) {
  lock(me);
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  unlock(me);
}

Waiter waiters[2];

int main() {
  std::thread first([] { worker(waiters[0]); }), second([] { worker(waiters[1]); });
  first.join();
  second.join();
  assert(counter == 2);
}

#endif

// SPDX-License-Identifier: Apache-2.0
