// SPDX-License-Identifier: Apache-2.0
// moodycamel's queue, with and without tokens, and its blocking form: nothing is lost, nothing
// comes twice.
#include "concurrentqueue.h"

#include <cassert>
#include <cstring>
#include <thread>

#include "blockingconcurrentqueue.h"

static void with_tokens() {
  moodycamel::ConcurrentQueue<int> queue(8, 2, 2);
  int sums[2] = {0, 0};
  auto produce = [&](int first) {
    moodycamel::ProducerToken token(queue);
    for (int i = first; i < first + 2; ++i) queue.enqueue(token, i);
  };
  auto consume = [&](int& sum) {
    for (int value, i = 0; i < 2; ++i) {
      while (!queue.try_dequeue(value)) std::this_thread::yield();
      sum += value;
    }
  };
  std::thread threads[] = {std::thread(produce, 1), std::thread(produce, 3),
                           std::thread(consume, std::ref(sums[0])),
                           std::thread(consume, std::ref(sums[1]))};
  for (std::thread& thread : threads) thread.join();
  assert(sums[0] + sums[1] == 10);
}

static void blocking() {
  moodycamel::BlockingConcurrentQueue<int> queue;
  int sums[2] = {0, 0};
  auto consume = [&](int& sum) {
    for (int value, i = 0; i < 2; ++i) {
      queue.wait_dequeue(value);
      sum += value;
    }
  };
  std::thread first(consume, std::ref(sums[0])), second(consume, std::ref(sums[1]));
  for (int i = 1; i <= 4; ++i) queue.enqueue(i);
  first.join();
  second.join();
  assert(sums[0] + sums[1] == 10);
}

int main(int, char** words) { std::strcmp(words[1], "tokens") == 0 ? with_tokens() : blocking(); }
