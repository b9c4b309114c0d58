// Setters publish a pair of values, checkers look at it. SETTERS and CHECKERS say how many.
//
// Wrong: nothing keeps a pair together: a setter writes a, then b, and a checker may look in
// between.
// Shown when: a checker reads a after the first setter wrote it, and b before any setter wrote
// that: all setters but those before their first write must be held between their two writes.
// Failure: assert.
// From: SCTBench "CS.reorder_N", figure 1 of the reads-from fuzzer paper.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef SETTERS
#define SETTERS 2
#endif
#ifndef CHECKERS
#define CHECKERS 1
#endif

static int a, b;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void* set(void* arg) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  a = 1;
  b = -1;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return arg;
}

static void* check(void* arg) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  const int seen_a = a;
  const int seen_b = b;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
  return arg;
}

int main(void) {
  pthread_t setters[SETTERS], checkers[CHECKERS];
  for (int i = 0; i < SETTERS; i++) pthread_create(&setters[i], NULL, set, NULL);
  for (int i = 0; i < CHECKERS; i++) pthread_create(&checkers[i], NULL, check, NULL);
  for (int i = 0; i < SETTERS; i++) pthread_join(setters[i], NULL);
  for (int i = 0; i < CHECKERS; i++) pthread_join(checkers[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
