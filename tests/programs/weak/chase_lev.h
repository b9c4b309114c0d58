// A work-stealing deque (Chase and Lev 2005, with the orders of Lê, Pop, Cohen and Zappa Nardelli
// 2013): every item is taken once.
#ifndef TESTS_PROGRAMS_WEAK_CHASE_LEV_H
#define TESTS_PROGRAMS_WEAK_CHASE_LEV_H

#include <assert.h>

#include <atomic>
#include <thread>

constexpr long kEmpty = -1;

class Deque {
 public:
  void push(long item) {
    const long bottom = bottom_.load(std::memory_order_relaxed);
    items_[bottom].store(item, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
  }
  long take() {
    const long bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_relaxed);
    FENCE_IN_TAKE();
    long top = top_.load(std::memory_order_relaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return kEmpty;
    }
    long item = items_[bottom].load(std::memory_order_relaxed);
    if (top == bottom) {
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) {
        item = kEmpty;
      }
      bottom_.store(bottom + 1, std::memory_order_relaxed);
    }
    return item;
  }
  long steal() {
    long top = top_.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const long bottom = bottom_.load(std::memory_order_acquire);
    if (top >= bottom) return kEmpty;
    const long item = items_[top].load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return kEmpty;
    }
    return item;
  }

 private:
  std::atomic<long> top_{0}, bottom_{0};
  std::atomic<long> items_[8]{};
};

Deque deque;
std::atomic<int> taken[2];

void note(long item) {
  if (item != kEmpty) taken[item].fetch_add(1, std::memory_order_relaxed);
}

int main() {
  deque.push(0);
  deque.push(1);
  std::thread thief([] {
    note(deque.steal());
    note(deque.steal());
  });
  note(deque.take());
  thief.join();
  assert(taken[0] <= 1 && taken[1] <= 1);
}

#endif

// SPDX-License-Identifier: Apache-2.0
