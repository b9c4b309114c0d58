// usage: shared N [THREADS]: threads that do N accesses each to memory they share, and nothing
// else.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

static std::atomic<int> value;

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([n] {
      for (int i = 0; i < n; ++i) value.fetch_add(1, std::memory_order_relaxed);
    });
  }
  for (std::thread& thread : all) thread.join();
}

// SPDX-License-Identifier: Apache-2.0
