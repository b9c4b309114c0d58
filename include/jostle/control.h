/* SPDX-License-Identifier: Apache-2.0 */
/* Control of threads from inside a process that somebody else runs: a fuzzer's harness, a test.

   jostle_run(body, argument) calls body(argument); every thread that it creates, directly or not,
   runs under Jostle's schedule, which is decided by what jostle_configure() was given. Control
   begins with the call and ends when it returns, and the same bytes give the same schedule in every
   process. Threads that the body leaves behind are run to their end first.

   What goes wrong (deadlock, misuse of a lock, use after free, …) is printed, and the process
   aborts: so the fuzzer records its input. `jostle run ./harness INPUT` repeats it with a report.

   The functions are weak: a harness may be built without Jostle, too, and then has to test for
   them; <jostle/fuzzer.h> does. */
#ifndef JOSTLE_CONTROL_H
#define JOSTLE_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When the bytes of a schedule are used up and the run is not over: */
enum jostle_at_end {
  JOSTLE_END_ZEROS = 0,  /* nobody is preempted any more */
  JOSTLE_END_REPEAT = 1, /* the bytes once more */
  JOSTLE_END_RANDOM = 2, /* numbers drawn from the seed */
  JOSTLE_END_EXIT = 3    /* the process exits, silently, with 0: for fuzzers that fork */
};

/* Where a thread that could go on may be preempted. */
enum jostle_points {
  JOSTLE_POINTS_ALL = 0, /* at every operation that other threads can notice */
  JOSTLE_POINTS_SYNC = 1 /* not at plain memory accesses */
};

struct jostle_options {
  /* A byte per decision: which thread goes on, counted from the one that would without us. 0 is
     "no preemption"; so a short schedule, or one of zeros, is the plain run. */
  const uint8_t* schedule;
  size_t schedule_size;
  enum jostle_at_end at_end;
  /* Instead of bytes: "random", "pos", "pct:d=5", …, with a seed. `jostle strategies` lists them.
   */
  const char* strategy;
  uint64_t seed;
  enum jostle_points points;
  int fail_on_race;   /* a data race aborts, too */
  uint64_t max_steps; /* scheduling points before a run counts as endless; 0: a million */
};

/* What jostle_run does from now on. The schedule is not copied: it has to stay until then. */
void jostle_configure(const struct jostle_options* options) __attribute__((weak));
void jostle_run(void (*body)(void* argument), void* argument) __attribute__((weak));

/* How many decisions the last run made: so many bytes of a schedule count. */
size_t jostle_decisions(void) __attribute__((weak));

/* Where each run leaves what it covered (docs/coverage.md). Any of these may be null. */
struct jostle_feedback {
  uint8_t* counters; /* set to 1 at the feature's place; libFuzzer's extra counters, say */
  size_t counter_count;
  const uint32_t* edges; /* under AFL++: numbers of edges, by jostle_number_edges */
  size_t edge_count;
  uint64_t* features; /* Centipede's; 0 behind the last, up to the end */
  size_t feature_count;
  /* The fuzzer's own counters in the program: no memory of the program's. */
  struct {
    const void* begin;
    const void* end;
  } ignored[2];
};
void jostle_feed(const struct jostle_feedback* feedback) __attribute__((weak));
/* Under AFL++, numbers edges that are not the compiler's; before its constructors are through. */
void jostle_number_edges(uint32_t* begin, uint32_t* end) __attribute__((weak));

/* Changes fuzzer data made of a schedule and an input (see <jostle/fuzzer.h>): either part, or
   both. `mutate_input` changes the input in place and returns its new size; null: ours does. */
size_t jostle_mutate(uint8_t* data, size_t size, size_t max_size, uint64_t seed,
                     size_t (*mutate_input)(uint8_t* data, size_t size, size_t max_size))
    __attribute__((weak));
/* The same for data that is a schedule and nothing else. */
size_t jostle_mutate_schedule(uint8_t* data, size_t size, size_t max_size, uint64_t seed)
    __attribute__((weak));
/* A child of two: the beginning of one and the end of the other, in both parts. Returns its size.
 */
size_t jostle_cross(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size, uint8_t* to,
                    size_t max_size, uint64_t seed) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
