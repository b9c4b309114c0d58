// fails: abort (some schedules)
// A lost update: two threads add to a plain counter. Shown when one reads the counter between the
// other's read and write.
#undef NDEBUG  // the assertion is the point
#include <cassert>
#include <thread>

static int visits;

static void visit() { visits = visits + 1; }

int main() {
  std::thread a(visit), b(visit);
  a.join();
  b.join();
  assert(visits == 2);
}

// SPDX-License-Identifier: Apache-2.0
