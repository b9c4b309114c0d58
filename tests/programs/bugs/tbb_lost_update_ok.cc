// build: -ltbb
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cassert>

int main() {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
  std::atomic<int> n{0};
  tbb::parallel_for(0, 6, [&](int) { n++; });
  assert(n == 6);
}

// SPDX-License-Identifier: Apache-2.0
