// Work in two phases; each phase has a lock, and the lock of the next phase is taken before that of
// the last one is given up.
//
// Wrong: the second thread begins with the phase in which the first one ends.
// Shown when: the first thread is in the middle phase, and the second one has taken the lock of the
// last phase but not yet that of the middle one.
// Failure: deadlock.
// From: SCTBench "CS.phase01"; "phase_1" of Taming pthreads.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t begin = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t middle = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
static int phase;

static void* forward(void* arg) {
  pthread_mutex_lock(&begin);
  pthread_mutex_lock(&middle);
  pthread_mutex_unlock(&begin);
  phase = 1;
  pthread_mutex_lock(&end);
  phase = 2;
  pthread_mutex_unlock(&middle);
  pthread_mutex_unlock(&end);
  return arg;
}

static void* reset(void* arg) {
#ifdef FIXED
  pthread_mutex_lock(&middle);
  pthread_mutex_lock(&end);
#else
  pthread_mutex_lock(&end);
  pthread_mutex_lock(&middle);
#endif
  phase = 0;
  pthread_mutex_unlock(&middle);
  pthread_mutex_unlock(&end);
  return arg;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, forward, NULL);
  pthread_create(&two, NULL, reset, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
