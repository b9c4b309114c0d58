// fails: never
// broken_lock with test and set in one step.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> locked{false};
static std::atomic<int> inside{0};

static void critical() {
  while (locked.exchange(true)) std::this_thread::yield();
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
