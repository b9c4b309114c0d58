// One thread counts; another looks at the counter again and again, and goes on only as long as it
// sees certain numbers.
//
// Wrong: the program believes that nobody sees just these numbers.
// Shown when: the counting thread makes exactly as many steps between two looks as the numbers are
// apart: one schedule of about 2^25.
// Failure: assert.
// From: "interleave", appendix 7.1 of Taming pthreads.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static const int awaited[] = {0, 2, 5, 7, 12, 15, 17};
enum { kLooks = sizeof awaited / sizeof awaited[0], kLimit = 20 };

static int counter;

static void* count(void* arg) {
  while (__atomic_load_n(&counter, __ATOMIC_SEQ_CST) < kLimit) {
    sched_yield();
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  }
  return arg;
}

static void* look(void* arg) {
  for (int i = 0; i < kLooks; i++) {
    if (__atomic_load_n(&counter, __ATOMIC_SEQ_CST) != awaited[i]) return arg;
    assert(i < kLooks - 1);
    sched_yield();
  }
  return arg;
}

int main(void) {
  pthread_t counting, looking;
  pthread_create(&counting, NULL, count, NULL);
  pthread_create(&looking, NULL, look, NULL);
  pthread_join(counting, NULL);
  pthread_join(looking, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
