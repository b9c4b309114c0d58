// sleep_for and sleep_until, and the three clocks that move with them.
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using System = std::chrono::system_clock;

int main() {
  static_assert(Steady::is_steady);
  for (int i = 0; i < 5; i++) {
    const auto steady = Steady::now();
    const auto system = System::now();
    const auto high = std::chrono::high_resolution_clock::now();
    std::this_thread::sleep_for(2ms);
    CHECK(Steady::now() - steady >= 2ms);
    CHECK(System::now() - system >= 1900us);  // the wall clock may be slewed natively
    CHECK(std::chrono::high_resolution_clock::now() - high >= 1900us);
  }
  const auto until = Steady::now() + 3ms;
  std::this_thread::sleep_until(until);
  CHECK(Steady::now() >= until);
  const auto wall = System::now() + 3ms;
  std::this_thread::sleep_until(wall);
  CHECK(System::now() >= wall);
  std::this_thread::sleep_until(Steady::now() - 1h);  // past: at once
  std::this_thread::sleep_for(-1h);
  std::this_thread::sleep_for(0s);

  // One after another in time, whatever the threads' creation order: each has slept at least its
  // own time.
  const auto start = Steady::now();
  std::vector<std::thread> threads;
  for (int i = 5; i >= 1; i--) {
    threads.emplace_back([i, start] {
      std::this_thread::sleep_for(std::chrono::milliseconds(i));
      CHECK(Steady::now() - start >= std::chrono::milliseconds(i));
    });
  }
  for (auto& t : threads) t.join();
  CHECK(Steady::now() - start >= 5ms);

  // Never backwards, also across threads.
  Steady::time_point last = Steady::now();
  std::mutex mutex;
  threads.clear();
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&] {
      for (int k = 0; k < 30; k++) {
        std::lock_guard<std::mutex> lock(mutex);
        const auto now = Steady::now();
        CHECK(now >= last);
        last = now;
      }
    });
  }
  for (auto& t : threads) t.join();
  const std::time_t from_clock = System::to_time_t(System::now());
  CHECK(std::time(nullptr) >= from_clock);
  return check_passed("cxx_sleep_clocks");
}

// SPDX-License-Identifier: Apache-2.0
