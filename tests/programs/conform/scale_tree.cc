// A tree of threads: each starts its children and joins them; the sum comes back up. Depth is the
// argument, default 7.
#include <cstdlib>
#include <thread>

#include "../check.h"

static void grow(int depth, long* leaves) {
  if (depth == 0) {
    *leaves = 1;
    return;
  }
  long left = 0, right = 0;
  std::thread l(grow, depth - 1, &left);
  std::thread r(grow, depth - 1, &right);
  l.join();
  r.join();
  *leaves = left + right;
}

int main(int argc, char** argv) {
  const int depth = argc > 1 ? std::atoi(argv[1]) : 7;
  CHECK(depth >= 0 && depth < 12);
  long leaves = 0;
  grow(depth, &leaves);
  CHECK_EQ(leaves, 1L << depth);
  return check_passed("scale_tree");
}

// SPDX-License-Identifier: Apache-2.0
