// usage: queue N: N threads, alive at once, that each take one mutex.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static int value;

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i) {
    all.emplace_back([] {
      const std::lock_guard<std::mutex> lock(mutex);
      ++value;
    });
  }
  for (std::thread& thread : all) thread.join();
}

// SPDX-License-Identifier: Apache-2.0
