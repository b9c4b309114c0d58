// Two threads make two numbers grow, each by one more than the other.
//
// Wrong: the program believes that they stay below a limit, which they reach when the threads take
// turns without a mistake. STEPS says how often each writes.
// Shown when: after every write of one thread the other one reads it: the threads alternate 2 *
// STEPS times.
// Failure: assert.
// From: SV-COMP "triangular"; "triangular" of Taming pthreads.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef STEPS
#define STEPS 5
#endif

enum { kLimit = 2 * STEPS + 6 };

// Every step is a read and a write. `volatile` orders nothing between threads: that the two race is
// part of the original, so the repaired program has to do without.
#ifdef FIXED
static _Atomic int i = 3, j = 6;
#else
static volatile int i = 3, j = 6;
#endif

static void* grow_i(void* arg) {
  for (int step = 0; step < STEPS; step++) {
    i = j + 1;
  }
  return arg;
}

static void* grow_j(void* arg) {
  for (int step = 0; step < STEPS; step++) {
    j = i + 1;
  }
  return arg;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, grow_i, NULL);
  pthread_create(&two, NULL, grow_j, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
#ifdef FIXED
  assert(i <= kLimit && j <= kLimit);
#else
  assert(i < kLimit && j < kLimit);
#endif
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
