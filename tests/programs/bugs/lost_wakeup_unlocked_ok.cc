// fails: never
// lost_wakeup_unlocked with the flag set under the mutex.
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
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  cond.notify_all();
  t.join();
}

// SPDX-License-Identifier: Apache-2.0
