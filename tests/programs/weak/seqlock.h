// A seqlock: a reader that finds the same even number before and after has read one version.
#ifndef TESTS_PROGRAMS_WEAK_SEQLOCK_H
#define TESTS_PROGRAMS_WEAK_SEQLOCK_H

#include <assert.h>

#include <atomic>
#include <thread>

std::atomic<unsigned> version;
std::atomic<int> first, second;

void update(int value) {
  const unsigned before = version.load(std::memory_order_relaxed);
  version.store(before + 1, std::memory_order_relaxed);
  FENCE(std::memory_order_release);
  first.store(value, std::memory_order_relaxed);
  second.store(value, std::memory_order_relaxed);
  version.store(before + 2, PUBLISH);
}

void look() {
  const unsigned before = version.load(SUBSCRIBE);
  if (before % 2 != 0) return;
  const int a = first.load(std::memory_order_relaxed);
  const int b = second.load(std::memory_order_relaxed);
  FENCE(std::memory_order_acquire);
  if (version.load(std::memory_order_relaxed) == before) assert(a == b);
}

int main() {
  std::thread writer([] {
    update(1);
    update(2);
  });
  std::thread reader(look);
  writer.join();
  reader.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
