// Tests of a queue in GoogleTest that know nothing of Jostle; docs/tests.md runs each by itself.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

class Queue {
 public:
  void push(int item) {
    const std::lock_guard<std::mutex> lock(mutex_);
    items_.push_back(item);
  }
  bool empty() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return items_.empty();
  }
  int pop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int first = items_.at(0);
    items_.erase(items_.begin());
    return first;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<int> items_;
};

TEST(Queue, KeepsTheOrder) {
  Queue queue;
  queue.push(1);
  queue.push(2);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
}

TEST(Queue, TakesFromTwoThreads) {
  Queue queue;
  std::thread one([&] { queue.push(1); }), two([&] { queue.push(2); });
  one.join();
  two.join();
  EXPECT_EQ(queue.pop() + queue.pop(), 3);
}

// Between empty() and pop() the other thread may take the last item.
TEST(Queue, GivesToTwoThreads) {
  Queue queue;
  queue.push(1);
  const auto take = [&] {
    if (!queue.empty()) queue.pop();
  };
  std::thread one(take), two(take);
  one.join();
  two.join();
  EXPECT_TRUE(queue.empty());
}

// SPDX-License-Identifier: Apache-2.0
