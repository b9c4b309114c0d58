// fails: abort (some schedules)
// build: -ltbb
// A parallel loop of TBB counts without a lock. The library is as the distribution built it.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cassert>

int main() {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
  int n = 0;
  tbb::parallel_for(0, 6, [&](int) { n++; });
  assert(n == 6);
}

// SPDX-License-Identifier: Apache-2.0
