// fails: never
// As weak_exchange_once, but who failed although nobody
// fail although nobody has taken it: then it is tried again.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <functional>
#include <thread>

static std::atomic<int> taken{0};

static void take(bool& mine) {
  int nobody = 0;
  while (!(mine = taken.compare_exchange_weak(nobody, 1)) && nobody == 0) {
  }
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
