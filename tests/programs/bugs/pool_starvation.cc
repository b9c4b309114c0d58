// fails: deadlock (some schedules)
// Tasks of a pool wait for other tasks of the same pool. Shown when all workers run waiting tasks,
// so that the ones they wait for stay in the queue.
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable cond;
static std::deque<std::function<void()>> queue;
static int left = 4;  // tasks that have not started

static void worker() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex);
      cond.wait(lock, [] { return left == 0 || !queue.empty(); });
      if (queue.empty()) return;
      task = std::move(queue.front());
      queue.pop_front();
      if (--left == 0) cond.notify_all();
    }
    task();
  }
}

static void submit(std::function<void()> task) {
  std::lock_guard<std::mutex> lock(mutex);
  queue.push_back(std::move(task));
  cond.notify_one();
}

int main() {
  std::promise<int> part[2];
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; i++) workers.emplace_back(worker);
  for (auto& p : part) {
    submit([&p] {  // a parent, which submits its child and waits for it
      submit([&p] { p.set_value(1); });
      p.get_future().get();
    });
  }
  for (auto& w : workers) w.join();
}

// SPDX-License-Identifier: Apache-2.0
