// Peterson's lock for two.
#ifndef TESTS_PROGRAMS_WEAK_PETERSON_WEAK_H
#define TESTS_PROGRAMS_WEAK_PETERSON_WEAK_H

#include <assert.h>

#include <atomic>
#include <thread>

std::atomic<bool> wants[2];
std::atomic<int> turn;
std::atomic<int> inside;

void worker(int me) {
  wants[me].store(true, STORE);
  turn.store(1 - me, STORE);
  while (wants[1 - me].load(LOAD) && turn.load(LOAD) == 1 - me) {
  }
  assert(inside.fetch_add(1, std::memory_order_relaxed) == 0);
  inside.fetch_sub(1, std::memory_order_relaxed);
  wants[me].store(false, std::memory_order_release);
}

int main() {
  std::thread first(worker, 0), second(worker, 1);
  first.join();
  second.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
