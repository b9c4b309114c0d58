// The static initialisers of every mutex type, used without any init call, and the same types by
// attribute.
#define _GNU_SOURCE
#include <pthread.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 60 };

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t zeroed;  // all zero is PTHREAD_MUTEX_INITIALIZER on Linux
static pthread_mutex_t by_attr[5];
static int counters[10];

static void add(pthread_mutex_t* m, int* counter) {
  CHECK_RC(pthread_mutex_lock(m), 0);
  ++*counter;
  CHECK_RC(pthread_mutex_unlock(m), 0);
}

static void* body(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    add(&normal, &counters[0]);
    add(&recursive, &counters[1]);
    add(&errorcheck, &counters[2]);
    add(&adaptive, &counters[3]);
    add(&zeroed, &counters[4]);
    for (int k = 0; k < 5; k++) add(&by_attr[k], &counters[5 + k]);
  }
  return NULL;
}

int main(void) {
  const int types[5] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                        PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_DEFAULT};
  pthread_mutexattr_t a;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  for (int k = 0; k < 5; k++) {
    int type = -1;
    CHECK_RC(pthread_mutexattr_settype(&a, types[k]), 0);
    CHECK_RC(pthread_mutexattr_gettype(&a, &type), 0);
    CHECK_EQ(type, types[k]);
    CHECK_RC(pthread_mutex_init(&by_attr[k], &a), 0);
  }
  CHECK_RC(pthread_mutexattr_settype(&a, 99), EINVAL);
  CHECK_RC(pthread_mutexattr_destroy(&a), 0);

  CHECK_RC(pthread_mutex_lock(&recursive), 0);
  CHECK_RC(pthread_mutex_lock(&recursive), 0);
  CHECK_RC(pthread_mutex_unlock(&recursive), 0);
  CHECK_RC(pthread_mutex_unlock(&recursive), 0);
  CHECK_RC(pthread_mutex_lock(&errorcheck), 0);
  CHECK_RC(pthread_mutex_lock(&errorcheck), EDEADLK);
  CHECK_RC(pthread_mutex_unlock(&errorcheck), 0);
  CHECK_RC(pthread_mutex_unlock(&errorcheck), EPERM);
  CHECK_RC(pthread_mutex_trylock(&adaptive), 0);
  CHECK_RC(pthread_mutex_trylock(&adaptive), EBUSY);
  CHECK_RC(pthread_mutex_unlock(&adaptive), 0);

  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  for (int k = 0; k < 10; k++) CHECK_EQ(counters[k], kThreads * kRounds);
  for (int k = 0; k < 5; k++) CHECK_RC(pthread_mutex_destroy(&by_attr[k]), 0);
  return check_passed("mutex_initialisers");
}

// SPDX-License-Identifier: Apache-2.0
