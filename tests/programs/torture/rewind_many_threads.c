// More threads than are kept ready, alive at once in some runs and one after another in others.
#include "pristine.h"

static int started, finished;
static __thread int mine = 1;
static pthread_barrier_t barrier;

static void* nested(void* number) {
  PRISTINE(mine == 1);
  mine = 2;
  __atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
  return number;
}

static void* work(void* number) {
  pthread_t child;
  PRISTINE(mine == 1);
  mine = 3;
  __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
  if ((long)number % 5 == 0) {
    MUST(pthread_create(&child, NULL, nested, NULL) == 0);
    MUST(pthread_detach(child) == 0);
  }
  if (number < (void*)2) pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  PRISTINE(started == 0 && finished == 0 && mine == 1);
  pthread_barrier_init(&barrier, NULL, 2);
  in_threads(30, work);
  MUST(started == 30);
  return 0;  // without waiting for the detached ones
}

// SPDX-License-Identifier: Apache-2.0
