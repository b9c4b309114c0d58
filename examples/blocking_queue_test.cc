// SPDX-License-Identifier: Apache-2.0
// A queue whose pop() waits, in GoogleTest:
//
//   jostle c++ -g -std=c++20 blocking_queue_test.cc -lgtest -lgtest_main -o blocking_queue_test
//   ./blocking_queue_test
//
// Nothing says that a pop() on an empty queue may wait for ever: with nobody to push, it does.
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <jostle/linearizable.hpp>
#include <mutex>
#include <optional>

class BlockingQueue {
 public:
  void push(int item) {
    const std::lock_guard guard(lock_);
    items_.push_back(item);
    filled_.notify_one();
  }
  int pop() {
    std::unique_lock guard(lock_);
    filled_.wait(guard, [&] { return !items_.empty(); });
    const int item = items_.front();
    items_.pop_front();
    return item;
  }
  std::optional<int> try_pop() {
    const std::lock_guard guard(lock_);
    if (items_.empty()) return std::nullopt;
    const int item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex lock_;
  std::condition_variable filled_;
  std::deque<int> items_;
};

JOSTLE_LINEARIZABLE(Queue) {
  auto queue = share<BlockingQueue>();
  operation("push", gen::range(1, 3), [=](int item) { queue->push(item); });
  operation("pop", [=] { return queue->pop(); });
  operation("try_pop", [=] { return queue->try_pop(); });
}
