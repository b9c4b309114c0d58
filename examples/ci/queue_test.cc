// Two producers, two consumers: every item is taken once.
#include "queue.h"

#include <cassert>
#include <map>
#include <thread>
#include <vector>

int main() {
  Queue queue;
  std::vector<int> taken[2];
  const auto produce = [&](int first) {
    for (int i = 0; i < 3; ++i) queue.push(first + i);
  };
  const auto consume = [&](std::vector<int>& mine) {
    for (int i = 0; i < 3; ++i) {
      if (const std::optional<int> item = queue.pop()) mine.push_back(*item);
    }
  };
  std::thread threads[] = {std::thread(produce, 10), std::thread(produce, 20),
                           std::thread(consume, std::ref(taken[0])),
                           std::thread(consume, std::ref(taken[1]))};
  for (std::thread& thread : threads) thread.join();

  std::map<int, int> times;
  while (const std::optional<int> item = queue.pop()) ++times[*item];
  for (const std::vector<int>& items : taken) {
    for (const int item : items) ++times[item];
  }
  for (const int item : {10, 11, 12, 20, 21, 22}) assert(times[item] == 1);
}

// SPDX-License-Identifier: Apache-2.0
