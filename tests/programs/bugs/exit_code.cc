// fails: exit 3 (some schedules)
// The program notices its own broken sum and says so with its exit status. Shown when the two
// halves are read between the two writes of the other thread.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int left = 50, right = 50;

static void add(int* side, int amount) {
  std::lock_guard<std::mutex> lock(mutex);
  *side += amount;
}
static int get(const int* side) {
  std::lock_guard<std::mutex> lock(mutex);
  return *side;
}

int main() {
  std::thread mover([] {
    add(&left, -20);
    add(&right, 20);
  });
  const int sum = get(&left) + get(&right);
  mover.join();
  if (sum != 100) {
    std::fprintf(stderr, "sum is %d\n", sum);
    return 3;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
