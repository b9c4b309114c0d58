// std::packaged_task: run in a thread, by hand, in a worker pool; reset, exceptions, abandoned
// tasks.
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../check.h"

class Pool {
 public:
  explicit Pool(int n) {
    for (int i = 0; i < n; i++) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    cond_.notify_all();
    for (auto& t : threads_) t.join();
  }
  template <class F>
  auto submit(F f) {
    std::packaged_task<std::invoke_result_t<F>()> task(std::move(f));
    auto future = task.get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      queue_.emplace_back(std::move(task));
    }
    cond_.notify_one();
    return future;
  }

 private:
  void work() {
    for (;;) {
      std::packaged_task<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        cond_.wait(lock, [this] { return closed_ || !queue_.empty(); });
        if (queue_.empty()) return;
        task = std::move(queue_.front());
        queue_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable cond_;
  std::deque<std::packaged_task<void()>> queue_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

int main() {
  std::packaged_task<int(int, int)> multiply([](int a, int b) { return a * b; });
  auto product = multiply.get_future();
  std::thread t(std::move(multiply), 6, 7);
  CHECK_EQ(product.get(), 42);
  t.join();
  CHECK(!multiply.valid());

  std::packaged_task<int()> again([] { return 1; });
  auto first = again.get_future();
  again();
  CHECK_EQ(first.get(), 1);
  try {
    again();
    CHECK(!"ran twice");
  } catch (const std::future_error& e) {
    CHECK(e.code() == std::future_errc::promise_already_satisfied);
  }
  again.reset();
  auto second = again.get_future();
  std::thread(std::ref(again)).join();
  CHECK_EQ(second.get(), 1);

  std::future<int> abandoned;
  {
    std::packaged_task<int()> dropped([] { return 2; });
    abandoned = dropped.get_future();
  }
  try {
    abandoned.get();
    CHECK(!"no exception");
  } catch (const std::future_error& e) {
    CHECK(e.code() == std::future_errc::broken_promise);
  }

  Pool pool(3);
  std::vector<std::future<int>> results;
  for (int i = 0; i < 40; i++) {
    results.push_back(pool.submit([i] {
      if (i % 10 == 3) throw std::runtime_error("three");
      return i * i;
    }));
  }
  int failed = 0;
  for (int i = 0; i < 40; i++) {
    try {
      CHECK_EQ(results[(size_t)i].get(), i * i);
    } catch (const std::runtime_error&) {
      failed++;
    }
  }
  CHECK_EQ(failed, 4);
  return check_passed("cxx_packaged_task");
}

// SPDX-License-Identifier: Apache-2.0
