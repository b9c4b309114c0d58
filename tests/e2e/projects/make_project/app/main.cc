#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "queue.h"

int main(int argc, char** argv) {
  const int consumers = argc > 1 ? std::atoi(argv[1]) : 1;
  queue* q = queue_new();
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < consumers; ++i) {
    threads.emplace_back([&] { sum += queue_pop(q); });
  }
  for (int i = 1; i <= consumers; ++i) queue_push(q, i);
  for (std::thread& thread : threads) thread.join();
  queue_free(q);
  std::printf("sum %d\n", sum.load());
  return sum == consumers * (consumers + 1) / 2 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
