// fails: abort (some schedules)
// build: -fopenmp
// A parallel loop of OpenMP counts without a lock. libgomp is as the distribution built it.
#include <cassert>

int main() {
  int n = 0;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; ++i) n++;
  assert(n == 6);
}

// SPDX-License-Identifier: Apache-2.0
