// Double-checked locking, with a payload that is atomic: whoever finds it ready finds it.
#ifndef TESTS_PROGRAMS_WEAK_DOUBLE_CHECKED_FLAG_H
#define TESTS_PROGRAMS_WEAK_DOUBLE_CHECKED_FLAG_H

#include <assert.h>

#include <atomic>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<bool> ready;
std::atomic<int> payload;

int get() {
  if (!ready.load(LOOK)) {
    std::lock_guard lock(mutex);
    if (!ready.load(std::memory_order_relaxed)) {
      payload.store(42, std::memory_order_relaxed);
      ready.store(true, SET);
    }
  }
  return payload.load(std::memory_order_relaxed);
}

void worker() { assert(get() == 42); }

int main() {
  std::thread first(worker), second(worker);
  first.join();
  second.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
