// usage: threads N: N threads alive at once that each lock one mutex of their own a few times.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<std::mutex> mutexes(static_cast<size_t>(n));
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i) {
    all.emplace_back([&mutexes, i] {
      for (int k = 0; k < 4; ++k) std::lock_guard<std::mutex> lock(mutexes[static_cast<size_t>(i)]);
    });
  }
  for (std::thread& thread : all) thread.join();
}

// SPDX-License-Identifier: Apache-2.0
