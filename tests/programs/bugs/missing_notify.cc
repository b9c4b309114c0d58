// fails: deadlock (some schedules)
// The pool's shutdown sets the flag but forgets to notify. Shown when the worker already waits for
// a task by then.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static std::deque<int> tasks;
static bool closed;
static int done;

static void worker() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    cond.wait(lock, [] { return closed || !tasks.empty(); });
    if (tasks.empty()) return;
    tasks.pop_front();
    done++;
  }
}

int main() {
  std::thread t(worker);
  {
    std::lock_guard<std::mutex> lock(mutex);
    tasks.push_back(1);
  }
  cond.notify_one();
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
  }
  t.join();
  return done == 1 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
