// fails: deadlock (some schedules)
// One condition variable for "not empty" and "not full", and notify_one. Shown when a notification
// meant for a consumer wakes a producer (or the other way round), which goes back to sleep.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable cond;
static bool full;
static int slot;

static void put(int value) {
  std::unique_lock<std::mutex> lock(mutex);
  while (full) cond.wait(lock);
  slot = value;
  full = true;
  cond.notify_one();
}

static int take() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!full) cond.wait(lock);
  full = false;
  cond.notify_one();
  return slot;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; i++) {
    threads.emplace_back([] { take(); });
    threads.emplace_back([] { take(); });
    threads.emplace_back([] {
      put(1);
      put(2);
    });
  }
  for (auto& t : threads) t.join();
}

// SPDX-License-Identifier: Apache-2.0
