// The read-write lock of Linux, a counter: a reader sees all or nothing of a writer.
#ifndef TESTS_PROGRAMS_WEAK_RW_LOCK_H
#define TESTS_PROGRAMS_WEAK_RW_LOCK_H

#include <assert.h>

#include <atomic>
#include <thread>

constexpr int kBias = 0x100000;
std::atomic<int> lock{kBias};
std::atomic<int> first, second;

bool try_read_lock() {
  if (lock.fetch_sub(1, std::memory_order_acquire) > 0) return true;
  lock.fetch_add(1, std::memory_order_relaxed);
  return false;
}
void read_unlock() { lock.fetch_add(1, std::memory_order_release); }
bool try_write_lock() {
  if (lock.fetch_sub(kBias, std::memory_order_acquire) == kBias) return true;
  lock.fetch_add(kBias, std::memory_order_relaxed);
  return false;
}
void write_unlock() { lock.fetch_add(kBias, UNLOCK); }

int main() {
  std::thread writer([] {
    if (!try_write_lock()) return;
    first.store(1, std::memory_order_relaxed);
    second.store(1, std::memory_order_relaxed);
    write_unlock();
  });
  std::thread reader([] {
    if (!try_read_lock()) return;
    const int a = first.load(std::memory_order_relaxed);
    assert(second.load(std::memory_order_relaxed) == a);
    read_unlock();
  });
  writer.join();
  reader.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
