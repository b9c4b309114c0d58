// fails: abort
// Relaxed operations, but what is wrong is wrong with any memory: a count is lost between the load
// and the store.
#include <assert.h>

#include <atomic>
#include <thread>

std::atomic<int> total;

void count() {
  const int before = total.load(std::memory_order_relaxed);
  total.store(before + 1, std::memory_order_relaxed);
}

int main() {
  std::thread first(count), second(count);
  first.join();
  second.join();
  assert(total.load(std::memory_order_relaxed) == 2);
}

// SPDX-License-Identifier: Apache-2.0
