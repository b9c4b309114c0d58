// usage: crowd N: N threads, alive at once, that each add to one atomic.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

static std::atomic<int> value;

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i) all.emplace_back([] { value.fetch_add(1); });
  for (std::thread& thread : all) thread.join();
}

// SPDX-License-Identifier: Apache-2.0
