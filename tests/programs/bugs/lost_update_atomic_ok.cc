// fails: never
// lost_update_atomic with a compare-exchange loop.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> highest{0};

static void report(int value) {
  int seen = highest.load();
  while (value > seen && !highest.compare_exchange_weak(seen, value)) {
  }
}

int main() {
  std::thread a(report, 10), b(report, 20);
  a.join();
  b.join();
  assert(highest == 20);
}

// SPDX-License-Identifier: Apache-2.0
