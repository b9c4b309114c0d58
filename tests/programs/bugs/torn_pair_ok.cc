// fails: never
// torn_pair with both fields in one atomic.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

struct alignas(8) Range {
  int low, high;
};

static std::atomic<Range> range{Range{0, 10}};

static void shift() { range = Range{20, 30}; }

static void check() {
  const Range r = range;
  assert(r.low < r.high);
}

int main() {
  std::thread a(shift), b(check);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
