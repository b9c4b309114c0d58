// fails: abort (some schedules)
// Two fields that belong together, each atomic by itself. Shown when the reader comes between the
// two writes.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> low{0}, high{10};

static void shift() {
  low = 20;
  high = 30;
}

static void check() {
  const int l = low, h = high;
  assert(l < h);
}

int main() {
  std::thread a(shift), b(check);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
