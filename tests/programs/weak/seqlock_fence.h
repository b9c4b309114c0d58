// A sequence lock whose fields are read relaxed: a fence keeps them in front of the second look.
#ifndef TESTS_PROGRAMS_WEAK_SEQLOCK_FENCE_H
#define TESTS_PROGRAMS_WEAK_SEQLOCK_FENCE_H

#include <assert.h>

#include <atomic>
#include <thread>

std::atomic<unsigned> sequence{0};
std::atomic<int> x{0}, y{0};

void write_both(int value) {
  const unsigned before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  x.store(value, std::memory_order_relaxed);
  y.store(value, std::memory_order_relaxed);
  sequence.store(before + 2, std::memory_order_release);
}

void read_both() {
  const unsigned before = sequence.load(std::memory_order_acquire);
  if (before % 2 != 0) return;
  const int a = x.load(std::memory_order_relaxed);
  const int b = y.load(std::memory_order_relaxed);
  FENCE;
  if (sequence.load(std::memory_order_relaxed) == before) assert(a == b);
}

int main() {
  std::thread reader(read_both);
  write_both(1);
  write_both(2);
  reader.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
