// fails: never
// exit_code with both sides moved and read under one lock.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int left = 50, right = 50;

static void move(int amount) {
  std::lock_guard<std::mutex> lock(mutex);
  left -= amount;
  right += amount;
}
static int total() {
  std::lock_guard<std::mutex> lock(mutex);
  return left + right;
}

int main() {
  std::thread mover(move, 20);
  const int sum = total();
  mover.join();
  if (sum != 100) {
    std::fprintf(stderr, "sum is %d\n", sum);
    return 3;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
