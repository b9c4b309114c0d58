// A ring for one producer and one consumer: what is taken is what was put.
#ifndef TESTS_PROGRAMS_WEAK_SPSC_RING_H
#define TESTS_PROGRAMS_WEAK_SPSC_RING_H

#include <assert.h>

#include <atomic>
#include <thread>

constexpr unsigned kRoom = 2;
std::atomic<int> slots[kRoom];
std::atomic<unsigned> head, tail;

bool put(int value) {
  const unsigned at = head.load(std::memory_order_relaxed);
  if (at - tail.load(std::memory_order_acquire) == kRoom) return false;
  slots[at % kRoom].store(value, std::memory_order_relaxed);
  head.store(at + 1, PUBLISH);
  return true;
}

bool take(int& value) {
  const unsigned at = tail.load(std::memory_order_relaxed);
  if (at == head.load(std::memory_order_acquire)) return false;
  value = slots[at % kRoom].load(std::memory_order_relaxed);
  tail.store(at + 1, std::memory_order_release);
  return true;
}

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 3; ++i) put(i);
  });
  std::thread consumer([] {
    int before = 0;
    for (int i = 0; i < 3; ++i) {
      int value = 0;
      if (!take(value)) continue;
      assert(value > before);
      before = value;
    }
  });
  producer.join();
  consumer.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
