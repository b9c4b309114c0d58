// fails: abort (some schedules)
// A home-made lock that tests and sets in two steps. Shown when both threads test before either
// sets.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> locked{false};
static std::atomic<int> inside{0};

static void critical() {
  while (locked) std::this_thread::yield();
  locked = true;
  assert(++inside == 1);
  --inside;
  locked = false;
}

int main() {
  std::thread a(critical), b(critical);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
