// SPDX-License-Identifier: Apache-2.0
// A pool of one thread:
//
//   jostle c++ -g -std=c++20 thread_pool_test.cc -o thread_pool_test && ./thread_pool_test
//
// Its threads are no part of the scenario, and run when they can. run() waits for its task;
// stop() lets the tasks that are left be done.
#include <condition_variable>
#include <functional>
#include <future>
#include <jostle/linearizable.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

class Pool {
 public:
  Pool() : worker_([this] { work(); }) {}
  ~Pool() {
    stop();
    worker_.join();
  }

  // What the task returns; nothing once the pool has been stopped.
  std::optional<int> run(std::function<int()> task) {
    // Shared: set_value is not over yet when the result is there.
    const auto done = std::make_shared<std::promise<int>>();
    std::future<int> result = done->get_future();
    {
      const std::lock_guard guard(lock_);
      if (is_stopped_) return std::nullopt;
      tasks_.push([done, task] { done->set_value(task()); });
    }
    changed_.notify_one();
    return result.get();
  }
  void stop() {
    const std::lock_guard guard(lock_);
    is_stopped_ = true;
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock guard(lock_);
    for (;;) {
      changed_.wait(guard, [&] { return is_stopped_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop();
      guard.unlock();
      task();
      guard.lock();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> tasks_;
  bool is_stopped_ = false;
  std::thread worker_;
};

JOSTLE_LINEARIZABLE(ThreadPool) {
  auto pool = share<Pool>();
  auto count = share<int>(0);  // of the worker's alone
  operation("run", [=] { return pool->run([=] { return ++*count; }); });
  operation("stop", [=] { pool->stop(); });
}

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
