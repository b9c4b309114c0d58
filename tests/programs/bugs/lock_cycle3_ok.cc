// fails: never
// lock_cycle3 with one philosopher who takes the right fork first.
#include <mutex>
#include <thread>
#include <vector>

static std::mutex forks[3];
static int meals[3];

static void dine(int seat) {
  const int left = seat, right = (seat + 1) % 3;
  std::lock_guard<std::mutex> lower(forks[left < right ? left : right]);
  std::lock_guard<std::mutex> higher(forks[left < right ? right : left]);
  meals[seat]++;
}

int main() {
  std::vector<std::thread> philosophers;
  for (int seat = 0; seat < 3; seat++) philosophers.emplace_back(dine, seat);
  for (auto& p : philosophers) p.join();
  return meals[0] + meals[1] + meals[2] == 3 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
