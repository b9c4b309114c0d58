// SPDX-License-Identifier: Apache-2.0
// The bakery lock without the flag that says that somebody is drawing a number: two that draw the same number, of which the smaller is slow to
// write it down, are inside together.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 3 };
static atomic_int number[THREADS];
static atomic_int inside;

static void* enter(void* argument) {
  const int me = (int)(long)argument;
  int highest = 0;
  for (int i = 0; i < THREADS; ++i) {
    const int other = atomic_load(&number[i]);
    if (other > highest) highest = other;
  }
  atomic_store(&number[me], highest + 1);
  for (int i = 0; i < THREADS; ++i) {
    if (i == me) continue;
    for (;;) {
      const int other = atomic_load(&number[i]);
      if (other == 0 || other > highest + 1 || (other == highest + 1 && i > me)) break;
      sched_yield();
    }
  }
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&number[me], 0);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, enter, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
}
