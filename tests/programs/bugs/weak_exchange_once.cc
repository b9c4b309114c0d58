// fails: abort (some schedules)
// Whoever comes first takes the job, and one of them always does: but compare_exchange_weak may
// fail although nobody has taken it, on processors that reserve instead of compare.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <functional>
#include <thread>

static std::atomic<int> taken{0};

static void take(bool& mine) {
  int nobody = 0;
  mine = taken.compare_exchange_weak(nobody, 1);
}

int main() {
  bool first = false, second = false;
  std::thread other(take, std::ref(second));
  take(first);
  other.join();
  assert(first != second);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
