// Two threads count under two locks.
//
// Wrong: they take the locks in opposite orders.
// Shown when: each takes its first lock before the other takes its second.
// Failure: deadlock.
// From: SCTBench "CS.deadlock01"; "deadlock_1" of Taming pthreads.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int counter = 1;

static void count(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  counter++;
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void* forth(void* arg) {
  count(&a, &b);
  return arg;
}

static void* back(void* arg) {
#ifdef FIXED
  count(&a, &b);
#else
  count(&b, &a);
#endif
  return arg;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, forth, NULL);
  pthread_create(&two, NULL, back, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
