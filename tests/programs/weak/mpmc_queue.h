// A bounded queue for many producers and consumers (Vyukov): what is taken was put.
#ifndef TESTS_PROGRAMS_WEAK_MPMC_QUEUE_H
#define TESTS_PROGRAMS_WEAK_MPMC_QUEUE_H

#include <assert.h>

#include <atomic>
#include <thread>

constexpr unsigned kRoom = 2;
struct Cell {
  std::atomic<unsigned> sequence;
  std::atomic<int> data;
};
Cell cells[kRoom];
std::atomic<unsigned> put_at, take_at;

bool put(int value) {
  unsigned at = put_at.load(std::memory_order_relaxed);
  Cell& cell = cells[at % kRoom];
  if (cell.sequence.load(std::memory_order_acquire) != at) return false;
  if (!put_at.compare_exchange_strong(at, at + 1, std::memory_order_relaxed)) return false;
  cell.data.store(value, std::memory_order_relaxed);
  cell.sequence.store(at + 1, PUBLISH);
  return true;
}

bool take(int& value) {
  unsigned at = take_at.load(std::memory_order_relaxed);
  Cell& cell = cells[at % kRoom];
  if (cell.sequence.load(std::memory_order_acquire) != at + 1) return false;
  if (!take_at.compare_exchange_strong(at, at + 1, std::memory_order_relaxed)) return false;
  value = cell.data.load(std::memory_order_relaxed);
  cell.sequence.store(at + kRoom, std::memory_order_release);
  return true;
}

int main() {
  for (unsigned i = 0; i < kRoom; ++i) cells[i].sequence.store(i, std::memory_order_relaxed);
  std::thread first([] { put(1); }), second([] { put(2); });
  std::thread consumer([] {
    int value = 0;
    if (take(value)) assert(value != 0);
  });
  first.join();
  second.join();
  consumer.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
