// Time as the program sees it: sleeps of different lengths, clock readings, time-outs, printed to
// the nanosecond.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

int main() {
  std::mutex mutex;
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; k++) {
        std::this_thread::sleep_for(std::chrono::microseconds(100 * ((i * 5 + k * 3) % 7 + 1)));
        std::lock_guard<std::mutex> lock(mutex);
        const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
        std::printf("thread %d wake-up %d at %lld ns\n", i, k, (long long)now.count());
      }
    });
  }
  for (auto& t : threads) t.join();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  std::printf("wall clock %lld\n", (long long)wall.count());
}

// SPDX-License-Identifier: Apache-2.0
