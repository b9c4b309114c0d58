// fails: deadlock (some schedules)
// Three philosophers, three forks, everyone takes the left one first. Shown when all three hold
// their left fork.
#include <mutex>
#include <thread>
#include <vector>

static std::mutex forks[3];
static int meals[3];

static void dine(int seat) {
  std::lock_guard<std::mutex> left(forks[seat]);
  std::lock_guard<std::mutex> right(forks[(seat + 1) % 3]);
  meals[seat]++;
}

int main() {
  std::vector<std::thread> philosophers;
  for (int seat = 0; seat < 3; seat++) philosophers.emplace_back(dine, seat);
  for (auto& p : philosophers) p.join();
  return meals[0] + meals[1] + meals[2] == 3 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
