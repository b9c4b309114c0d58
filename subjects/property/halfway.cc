// Two threads count up to N, each its own variable; main looks at both in between.
//
// Wrong: the program believes that it never finds both exactly halfway.
// Shown when: it does. N says how large the space of schedules is.
// Failure: assert.
// From: figure 5.14 (the scaling program) of Sumit Padhiyar's thesis on property-based concurrency
// fuzzing.
// Built for coverage, as it was there.
#include <atomic>
#include <cassert>
#include <thread>

#ifndef N
#define N 10
#endif

static std::atomic<int> x{0}, y{0};

static void count(std::atomic<int>* variable) {
  for (int i = 1; i <= N; i++) *variable = i;
}

int main() {
  std::thread one(count, &x), two(count, &y);
  const int seen_x = x, seen_y = y;
  assert(seen_x != N / 2 || seen_y != N / 2);
  one.join();
  two.join();
}

// SPDX-License-Identifier: Apache-2.0
