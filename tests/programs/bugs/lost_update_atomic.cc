// fails: abort (some schedules)
// No data race, and still a lost update: the maximum is read and stored atomically, but not in one
// step. Shown when the smaller value's store comes after the larger one's, both having read the old
// maximum.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> highest{0};

static void report(int value) {
  if (value > highest.load()) highest.store(value);
}

int main() {
  std::thread a(report, 10), b(report, 20);
  a.join();
  b.join();
  assert(highest == 20);
}

// SPDX-License-Identifier: Apache-2.0
