// std::atomic wait and notify at every width, atomic_flag, pointers and a struct; one and all.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "../check.h"

template <class T>
static void hand_over(T from, T to) {
  std::atomic<T> cell{from};
  int plain = 0;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; i++) {
    waiters.emplace_back([&] {
      cell.wait(from);
      CHECK(cell.load() == to);
      CHECK_EQ(plain, 5);
    });
  }
  plain = 5;
  cell.store(to);
  cell.notify_all();
  for (auto& t : waiters) t.join();
  cell.wait(from);  // differs already: returns at once

  // A chain of single notifications.
  std::atomic<T> turn{from};
  std::thread other([&] {
    for (int i = 0; i < 20; i++) {
      turn.wait(from);
      turn.store(from);
      turn.notify_one();
    }
  });
  for (int i = 0; i < 20; i++) {
    turn.store(to);
    turn.notify_one();
    turn.wait(to);
  }
  other.join();
}

struct alignas(4) Small {
  short a, b;
  bool operator==(const Small&) const = default;
};

int main() {
  hand_over<int>(0, 1);
  hand_over<unsigned>(7, 0);
  hand_over<std::int8_t>(0, -1);
  hand_over<std::uint16_t>(1, 2);
  hand_over<std::int64_t>(0, 1LL << 40);  // the low 32 bits are equal
  hand_over<bool>(false, true);
  hand_over<char>('a', 'b');
  hand_over<double>(0.0, 1.5);
  hand_over<Small>({1, 2}, {1, 3});
  int x = 0, y = 0;
  hand_over<int*>(&x, &y);

  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  std::thread sets([&] {
    flag.test_and_set();
    flag.notify_all();
    flag.wait(true);
  });
  flag.wait(false);
  CHECK(flag.test());
  flag.clear();
  flag.notify_one();
  sets.join();

  // Many words in one waiter table: no wake-up is lost between them.
  std::vector<std::atomic<int>> cells(40);
  std::vector<std::thread> threads;
  for (auto& c : cells) threads.emplace_back([&c] { c.wait(0); });
  for (auto& c : cells) {
    c = 1;
    c.notify_one();
  }
  for (auto& t : threads) t.join();
  return check_passed("cxx_atomic_wait");
}

// SPDX-License-Identifier: Apache-2.0
