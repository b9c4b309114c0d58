// Threads that print for themselves, unsynchronised but for stdio's own lock: the order of lines is
// the schedule.
#include <cstdio>
#include <iostream>
#include <thread>
#include <vector>

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++) {
    threads.emplace_back([i] {
      for (int k = 0; k < 8; k++) {
        std::printf("thread %d prints %d\n", i, k);
        std::this_thread::yield();
      }
    });
  }
  for (auto& t : threads) t.join();
  threads.clear();
  std::cout << std::unitbuf;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([i] {
      for (int k = 0; k < 5; k++) {
        std::cout << "stream of " + std::to_string(i) + " says " + std::to_string(k) + "\n";
        std::this_thread::yield();
      }
    });
  }
  for (auto& t : threads) t.join();
}

// SPDX-License-Identifier: Apache-2.0
