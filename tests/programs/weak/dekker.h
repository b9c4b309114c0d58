// Who finds the other's flag down enters: at most one of them.
#ifndef TESTS_PROGRAMS_WEAK_DEKKER_H
#define TESTS_PROGRAMS_WEAK_DEKKER_H

#include <assert.h>

#include <atomic>
#include <thread>

std::atomic<int> flags[2];
bool entered[2];

void enter(int me) {
  flags[me].store(1, std::memory_order_relaxed);
  if (me == 0) {
    FIRST_FENCE();
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  entered[me] = flags[1 - me].load(std::memory_order_relaxed) == 0;
}

int main() {
  std::thread first(enter, 0), second(enter, 1);
  first.join();
  second.join();
  assert(!(entered[0] && entered[1]));
}

#endif

// SPDX-License-Identifier: Apache-2.0
