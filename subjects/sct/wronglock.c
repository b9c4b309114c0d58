// Several threads count under a lock. OTHERS says how many use the wrong one.
//
// Wrong: they all write the same counter, but not under the same lock.
// Shown when: one of the others counts between the read and the check of the thread with the right
// lock.
// Failure: assert.
// From: SCTBench "CS.wronglock", "CS.wronglock_3".
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef OTHERS
#define OTHERS 7
#endif

static pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef FIXED
static pthread_mutex_t wrong_lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static volatile int counter;  // read again for the check, not remembered

static void* count_and_check(void* arg) {
  pthread_mutex_lock(&right_lock);
  const int before = counter;
  counter++;
  assert(counter == before + 1);
  pthread_mutex_unlock(&right_lock);
  return arg;
}

static void* count(void* arg) {
#ifdef FIXED
  pthread_mutex_t* lock = &right_lock;
#else
  pthread_mutex_t* lock = &wrong_lock;
#endif
  pthread_mutex_lock(lock);
  counter++;
  pthread_mutex_unlock(lock);
  return arg;
}

int main(void) {
  pthread_t checker, others[OTHERS];
  pthread_create(&checker, NULL, count_and_check, NULL);
  for (int i = 0; i < OTHERS; i++) pthread_create(&others[i], NULL, count, NULL);
  pthread_join(checker, NULL);
  for (int i = 0; i < OTHERS; i++) pthread_join(others[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
