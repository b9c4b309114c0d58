// Four threads count; one of them reads before and writes after another one has counted.
#include <cassert>
#include <thread>

int hits;

void count() {
  const int seen = hits;
  hits = seen + 1;
}

int main() {
  std::thread a(count), b(count), c(count), d(count);
  a.join();
  b.join();
  c.join();
  d.join();
  assert(hits == 4);
}

// SPDX-License-Identifier: Apache-2.0
