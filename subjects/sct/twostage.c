// A value and another one derived from it, each under a lock of its own. WRITERS and READERS say
// how many threads write and read.
//
// Wrong: a writer gives up the first lock before it takes the second: in between, the first value
// is new and the second one old.
// Shown when: a reader finds the first value written, and reads the second one before any writer
// has come that far.
// Failure: assert.
// From: SCTBench "CS.twostage", "CS.twostage_N"; the bug pattern is from Artho, Havelund and Biere,
// "High-level data races" (2003).
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef READERS
#define READERS 1
#endif

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void* write_both(void* arg) {
#ifdef FIXED
  // The second value first: a reader that sees the first one finds the second one there.
  pthread_mutex_lock(&second_lock);
  second = 2;
  pthread_mutex_unlock(&second_lock);
  pthread_mutex_lock(&first_lock);
  first = 1;
  pthread_mutex_unlock(&first_lock);
#else
  pthread_mutex_lock(&first_lock);
  first = 1;
  pthread_mutex_unlock(&first_lock);
  pthread_mutex_lock(&second_lock);
  second = first + 1;
  pthread_mutex_unlock(&second_lock);
#endif
  return arg;
}

static void* read_both(void* arg) {
  pthread_mutex_lock(&first_lock);
  const int seen_first = first;
  pthread_mutex_unlock(&first_lock);
  if (seen_first == 0) return arg;
  pthread_mutex_lock(&second_lock);
  const int seen_second = second;
  pthread_mutex_unlock(&second_lock);
  assert(seen_second == seen_first + 1);
  return arg;
}

int main(void) {
  pthread_t writers[WRITERS], readers[READERS];
  for (int i = 0; i < WRITERS; i++) pthread_create(&writers[i], NULL, write_both, NULL);
  for (int i = 0; i < READERS; i++) pthread_create(&readers[i], NULL, read_both, NULL);
  for (int i = 0; i < WRITERS; i++) pthread_join(writers[i], NULL);
  for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
