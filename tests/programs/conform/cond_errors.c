// What a wait says about its mutex: EPERM when the caller does not own an error-checking one,
// EOWNERDEAD when a robust one's owner died meanwhile; a recursive one locked once works.
#include <pthread.h>

#include "../check.h"

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t errorcheck, recursive, robust;
static int ready, waiting;

static void init(pthread_mutex_t* m, int type, int how) {
  pthread_mutexattr_t a;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  CHECK_RC(pthread_mutexattr_settype(&a, type), 0);
  CHECK_RC(pthread_mutexattr_setrobust(&a, how), 0);
  CHECK_RC(pthread_mutex_init(m, &a), 0);
  CHECK_RC(pthread_mutexattr_destroy(&a), 0);
}

static void* wait_recursive(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&recursive), 0);
  while (!ready) CHECK_RC(pthread_cond_wait(&cond, &recursive), 0);
  CHECK_RC(pthread_mutex_lock(&recursive), 0);  // owned, so it nests
  CHECK_RC(pthread_mutex_unlock(&recursive), 0);
  CHECK_RC(pthread_mutex_unlock(&recursive), 0);
  CHECK_RC(pthread_mutex_unlock(&recursive), EPERM);
  return NULL;
}

static void* wait_robust(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&robust), 0);
  waiting = 1;
  CHECK_RC(pthread_cond_signal(&arrived), 0);
  int rc = 0;
  while (!ready && rc == 0) rc = pthread_cond_wait(&cond, &robust);
  CHECK_RC(rc, EOWNERDEAD);
  CHECK_EQ(ready, 1);
  CHECK_RC(pthread_mutex_consistent(&robust), 0);
  CHECK_RC(pthread_mutex_unlock(&robust), 0);
  return NULL;
}

static void* signal_and_die(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&robust), 0);
  while (!waiting) CHECK_RC(pthread_cond_wait(&arrived, &robust), 0);
  ready = 1;
  CHECK_RC(pthread_cond_broadcast(&cond), 0);
  return NULL;  // still holding it
}

int main(void) {
  pthread_t a, b;
  init(&errorcheck, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  init(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  init(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  struct timespec past = {1, 0};
  CHECK_RC(pthread_cond_wait(&cond, &errorcheck), EPERM);
  CHECK_RC(pthread_cond_timedwait(&cond, &errorcheck, &past), EPERM);

  CHECK_RC(pthread_create(&a, NULL, wait_recursive, NULL), 0);
  CHECK_RC(pthread_mutex_lock(&recursive), 0);
  ready = 1;
  CHECK_RC(pthread_cond_broadcast(&cond), 0);
  CHECK_RC(pthread_mutex_unlock(&recursive), 0);
  CHECK_RC(pthread_join(a, NULL), 0);

  ready = 0;
  CHECK_RC(pthread_create(&a, NULL, wait_robust, NULL), 0);
  CHECK_RC(pthread_create(&b, NULL, signal_and_die, NULL), 0);
  CHECK_RC(pthread_join(a, NULL), 0);
  CHECK_RC(pthread_join(b, NULL), 0);
  CHECK_RC(pthread_mutex_lock(&robust), 0);
  CHECK_RC(pthread_mutex_unlock(&robust), 0);
  return check_passed("cond_errors");
}

// SPDX-License-Identifier: Apache-2.0
