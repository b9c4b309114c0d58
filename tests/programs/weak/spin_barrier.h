// A barrier that spins: who leaves it sees what all did before they came.
#ifndef TESTS_PROGRAMS_WEAK_SPIN_BARRIER_H
#define TESTS_PROGRAMS_WEAK_SPIN_BARRIER_H

#include <assert.h>

#include <atomic>
#include <thread>

constexpr int kThreads = 2;
std::atomic<int> missing{kThreads};
std::atomic<bool> is_open{false};
std::atomic<int> done[kThreads];

void wait() {
  if (missing.fetch_sub(1, ARRIVE) == 1) {
    is_open.store(true, std::memory_order_release);
    return;
  }
  while (!is_open.load(std::memory_order_acquire)) {
  }
}

void worker(int me) {
  done[me].store(1, std::memory_order_relaxed);
  wait();
  assert(done[1 - me].load(std::memory_order_relaxed) == 1);
}

int main() {
  std::thread first(worker, 0), second(worker, 1);
  first.join();
  second.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
