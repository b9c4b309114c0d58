// fails: never
// lost_update with an atomic counter.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> visits;

static void visit() { visits++; }

int main() {
  std::thread a(visit), b(visit);
  a.join();
  b.join();
  assert(visits == 2);
}

// SPDX-License-Identifier: Apache-2.0
