#include <jostle/gtest.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Queue {
  std::mutex lock;
  std::vector<int> values;

  void push(int value) {
    const std::lock_guard guard(lock);
    values.push_back(value);
  }
  int pop_if_any() {
    if (size() == 0) return -1;
    const std::lock_guard guard(lock);  // too late: it may be empty by now
    EXPECT_FALSE(values.empty());
    const int value = values.back();
    values.pop_back();
    return value;
  }
  size_t size() {
    const std::lock_guard guard(lock);
    return values.size();
  }
};

class FullQueue : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 100; ++i) queue_.push(i);
  }
  Queue queue_;
};

}  // namespace

JOSTLE_TEST_F(FullQueue, EveryRunFindsItFull) {
  std::thread one([&] { queue_.pop_if_any(); }), two([&] { queue_.pop_if_any(); });
  one.join();
  two.join();
  EXPECT_EQ(queue_.size(), 98u);
}

JOSTLE_TEST(Queue, KeepsWhatIsPushed) {
  Queue queue;
  std::thread one([&] { queue.push(1); }), two([&] { queue.push(2); });
  one.join();
  two.join();
  EXPECT_EQ(queue.size(), 2u);
}

JOSTLE_TEST(Queue, PopsOnlyWhatIsThere) {
  Queue queue;
  queue.push(1);
  std::thread one([&] { queue.pop_if_any(); }), two([&] { queue.pop_if_any(); });
  one.join();
  two.join();
}

// SPDX-License-Identifier: Apache-2.0
