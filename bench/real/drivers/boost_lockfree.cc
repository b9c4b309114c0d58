// SPDX-License-Identifier: Apache-2.0
// Two producers and two consumers of each of Boost's three lock-free containers: nothing is lost,
// nothing comes twice.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <cstring>
#include <thread>

template <class Container>
void two_and_two(Container& container) {
  int sums[2] = {0, 0};
  auto produce = [&](int first) {
    for (int i = first; i < first + 2; ++i)
      while (!container.push(i)) std::this_thread::yield();
  };
  auto consume = [&](int& sum) {
    for (int value, i = 0; i < 2; ++i) {
      while (!container.pop(value)) std::this_thread::yield();
      sum += value;
    }
  };
  std::thread threads[] = {std::thread(produce, 1), std::thread(produce, 3),
                           std::thread(consume, std::ref(sums[0])),
                           std::thread(consume, std::ref(sums[1]))};
  for (std::thread& thread : threads) thread.join();
  assert(sums[0] + sums[1] == 10 && container.empty());
}

void one_and_one() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
  std::thread producer([&] {
    for (int i = 1; i <= 3; ++i)
      while (!queue.push(i)) std::this_thread::yield();
  });
  for (int value, i = 1; i <= 3; ++i) {
    while (!queue.pop(value)) std::this_thread::yield();
    assert(value == i);
  }
  producer.join();
}

int main(int, char** words) {
  if (std::strcmp(words[1], "queue") == 0) {
    boost::lockfree::queue<int> queue(2);
    two_and_two(queue);
  } else if (std::strcmp(words[1], "stack") == 0) {
    boost::lockfree::stack<int> stack(2);
    two_and_two(stack);
  } else {
    one_and_one();
  }
}
