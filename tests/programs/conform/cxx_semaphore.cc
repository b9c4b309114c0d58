// std::counting_semaphore and binary_semaphore: acquire, try_acquire, timed ones, release of
// several.
#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

// acquire() of libstdc++ 12 can sleep for ever when others compete (GCC bug 104928): a schedule
// that shows it is no fault of this program.
template <typename Semaphore>
void acquire(Semaphore& semaphore) {
  while (!semaphore.try_acquire_for(1h)) continue;
}

int main() {
  std::counting_semaphore<10> slots(2);
  CHECK(slots.max() >= 10);
  while (!slots.try_acquire()) continue;  // may fail for no reason
  slots.acquire();
  CHECK(!slots.try_acquire());
  const auto before = std::chrono::steady_clock::now();
  CHECK(!slots.try_acquire_for(3ms));
  CHECK(std::chrono::steady_clock::now() - before >= 3ms);
  CHECK(!slots.try_acquire_until(std::chrono::system_clock::now() + 2ms));
  slots.release(2);

  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; i++) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; k++) {
        acquire(slots);
        CHECK(++inside <= 2);
        --inside;
        slots.release();
      }
    });
  }
  for (auto& t : threads) t.join();

  // Strict alternation of two threads.
  std::binary_semaphore ping(1), pong(0);
  int turn = 0;
  std::thread other([&] {
    for (int k = 0; k < 40; k++) {
      acquire(pong);
      CHECK_EQ(turn++ % 2, 1);
      ping.release();
    }
  });
  for (int k = 0; k < 40; k++) {
    acquire(ping);
    CHECK_EQ(turn++ % 2, 0);
    pong.release();
  }
  other.join();
  CHECK_EQ(turn, 80);

  // One release of many wakes many.
  std::counting_semaphore<> gate(0);
  threads.clear();
  for (int i = 0; i < 5; i++) threads.emplace_back([&] { acquire(gate); });
  gate.release(5);
  for (auto& t : threads) t.join();
  CHECK(!gate.try_acquire());
  return check_passed("cxx_semaphore");
}

// SPDX-License-Identifier: Apache-2.0
