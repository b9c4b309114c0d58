// A hundred threads: order of start, of a shared counter, of leaving.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex mutex;
  std::atomic<int> arrivals{0};
  int plain_sum = 0;
  std::vector<int> left;
  std::vector<std::thread> threads;
  for (int i = 0; i < 100; i++) {
    threads.emplace_back([&, i] {
      const int place = arrivals++;
      std::lock_guard<std::mutex> lock(mutex);
      plain_sum = plain_sum * 3 % 100003 + i;
      left.push_back(i);
      if (i % 10 == 0) std::printf("thread %d arrived as number %d\n", i, place);
    });
  }
  for (auto& t : threads) t.join();
  std::printf("sum %d\n", plain_sum);
  for (int i : left) std::printf("%d ", i);
  std::printf("\n");
}

// SPDX-License-Identifier: Apache-2.0
