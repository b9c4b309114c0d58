// Who waits says so and looks again; who notifies publishes and looks for waiters. The fences
// between the two are there.
#ifndef TESTS_PROGRAMS_WEAK_EVENT_COUNT_H
#define TESTS_PROGRAMS_WEAK_EVENT_COUNT_H

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::atomic<int> item{0}, waiters{0};
std::mutex mutex;
std::condition_variable changed;

void wait_for_item() {
  waiters.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(WAITER);
  std::unique_lock lock(mutex);
  while (item.load(std::memory_order_acquire) == 0) changed.wait(lock);
}

void publish() {
  item.store(7, std::memory_order_release);
  std::atomic_thread_fence(NOTIFIER);
  if (waiters.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex);
  changed.notify_all();
}

int main() {
  std::thread waiter(wait_for_item);
  publish();
  waiter.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
