// SPDX-License-Identifier: Apache-2.0
// What stands in a branch is read by who takes it, whatever the compiler could make of it.
#include "scenario.h"

static int left_count, right_count;
static struct { int left, right; } sides;

[[gnu::noinline]] static void count(bool is_left, int n) {
  for (int i = 0; i < n; ++i) {
    if (is_left) {
      ++left_count;
    } else {
      ++right_count;
    }
  }
}
SCENARIO(own_counter_in_a_loop, clean) {
  together([] { count(true, 3); }, [] { count(false, 3); });
}
SCENARIO(same_counter_in_a_loop, racy) {
  together([] { count(true, 3); }, [] { count(true, 3); });
}

[[gnu::noinline]] static int sum(bool is_wanted, int n) {
  int result = 0;
  for (int i = 0; i < n; ++i) result += is_wanted ? left_count : i;
  return result;
}
SCENARIO(not_wanted_in_a_loop, clean) {
  together([] { sink = sum(false, 3); }, [] { left_count = 1; });
}
SCENARIO(wanted_in_a_loop, racy) {
  together([] { sink = sum(true, 3); }, [] { left_count = 1; });
}

[[gnu::noinline]] static int side(bool is_left) {
  int result;
  if (is_left) {
    result = sides.left;
  } else {
    result = sides.right;
  }
  return result;
}
SCENARIO(own_side, clean) {
  together([] { sides.left = 1, sink = side(true); }, [] { sides.right = 2, sink = side(false); });
}
SCENARIO(other_side, racy) {
  together([] { sides.left = 1, sink = side(true); }, [] { sides.right = 2, sink = side(true); },
           [] { sides.left = 3; });
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }
