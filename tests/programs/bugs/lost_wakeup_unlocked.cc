// fails: deadlock (some schedules)
// The flag is atomic, so its writer takes no lock. Shown when flag and notification fall between
// the waiter's check of the flag and its wait.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static std::atomic<bool> stop{false};

static void worker() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!stop) cond.wait(lock);
}

int main() {
  std::thread t(worker);
  stop = true;
  cond.notify_all();
  t.join();
}

// SPDX-License-Identifier: Apache-2.0
