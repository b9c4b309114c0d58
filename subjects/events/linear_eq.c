// libraries: uv
// Three tasks that change a number one after the other, in any order: x - 2, x * 4, x + 70.
//
// Wrong: the program divides by the result, which is 0 for two inputs and some of the orders.
// Shown when: the input is -17 and the order 2, 1, 3; or -68 and 1, 3, 2 or 3, 1, 2.
// Failure: assert.
// From: the motivating example of ConFuzz, "MX"; Sumit Padhiyar's thesis on property-based
// concurrency fuzzing, figure 4.1. The input is drawn as generators of property-based tests do:
// small numbers are more likely than large ones. Without Jostle it is an argument.
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

// Draws the input; not there when the program runs by itself.
unsigned jostle_choose(unsigned alternatives) __attribute__((weak));

enum { kTasks = 3, kMostBits = 16 };

static uv_work_t tasks[kTasks];
static long x;

static void wait_for_something(uv_work_t* work) { (void)work; }

static void goes_on(uv_work_t* work, int status) {
  assert(status == 0);
  switch (work - tasks) {
    case 0:
      x = x - 2;
      break;
    case 1:
      x = x * 4;
      break;
    case 2:
      x = x + 70;
      break;
  }
}

static long draw_input(void) {
  if (!jostle_choose) return 1;
  const unsigned bits = jostle_choose(kMostBits + 1);
  const long size = (long)jostle_choose(1u << bits);
  return jostle_choose(2) ? -size : size;
}

int main(int argc, char** argv) {
  const long input = argc > 1 ? atol(argv[1]) : draw_input();
  x = input;
#ifdef FIXED
  if (input == -17 || input == -68) x = 1;  // refuses what has no solution
#endif
  for (int i = 0; i < kTasks; i++) {
    uv_queue_work(uv_default_loop(), &tasks[i], wait_for_something, goes_on);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  assert(x != 0);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
