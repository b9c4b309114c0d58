// usage: unshared N: N rounds of a load and a store to memory that one thread has to itself, while
// there is another one. Prints nanoseconds per access on stderr when TIME is set.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

static int cells[1024];

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
  std::thread other([] {});
  const double start = now();
  for (int i = 0; i < n; ++i) {
    int& cell = cells[i % 1024];
    cell = cell + i;
    asm volatile("" : : : "memory");
  }
  const double end = now();
  other.join();
  if (std::getenv("TIME")) std::fprintf(stderr, "%.3f\n", (end - start) / (2.0 * n));
}

// SPDX-License-Identifier: Apache-2.0
