// SPDX-License-Identifier: Apache-2.0
// A value and one that follows from it, each under its own lock, written by many. Readers look at the first value twice in one critical
// section: whether it is there, and what it is. Between the two values of a writer they find the second one missing.
#include <assert.h>
#include <pthread.h>

#ifndef WRITERS
#define WRITERS 40
#endif
#ifndef READERS
#define READERS 10
#endif
static pthread_mutex_t source_lock = PTHREAD_MUTEX_INITIALIZER, derived_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int source, derived;

static void* write_both(void* unused) {
  pthread_mutex_lock(&source_lock);
  source = 1;
  pthread_mutex_unlock(&source_lock);
  pthread_mutex_lock(&derived_lock);
  derived = source + 1;
  pthread_mutex_unlock(&derived_lock);
  return unused;
}
static void* read_both(void* unused) {
  int first = -1, second = -1;
  pthread_mutex_lock(&source_lock);
  if (source == 0) {
    pthread_mutex_unlock(&source_lock);
    return unused;
  }
  first = source;
  pthread_mutex_unlock(&source_lock);
  pthread_mutex_lock(&derived_lock);
  second = derived;
  pthread_mutex_unlock(&derived_lock);
  assert(second == first + 1);
  return unused;
}

int main(void) {
  pthread_t threads[WRITERS + READERS];
  for (int i = 0; i < WRITERS + READERS; ++i) pthread_create(&threads[i], 0, i < WRITERS ? write_both : read_both, 0);
  for (int i = 0; i < WRITERS + READERS; ++i) pthread_join(threads[i], 0);
}
