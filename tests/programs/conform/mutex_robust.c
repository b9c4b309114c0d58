// Robust mutexes: the next locker of a dead owner's mutex gets EOWNERDEAD; made consistent it is
// ordinary again, unlocked without that it is ENOTRECOVERABLE for ever.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "../check.h"

static pthread_mutex_t mutex;
static sem_t locked;

static void make(int type) {
  pthread_mutexattr_t a;
  int robust = -1;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  CHECK_RC(pthread_mutexattr_getrobust(&a, &robust), 0);
  CHECK_EQ(robust, PTHREAD_MUTEX_STALLED);
  CHECK_RC(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST), 0);
  CHECK_RC(pthread_mutexattr_setrobust(&a, 77), EINVAL);
  CHECK_RC(pthread_mutexattr_getrobust(&a, &robust), 0);
  CHECK_EQ(robust, PTHREAD_MUTEX_ROBUST);
  CHECK_RC(pthread_mutexattr_settype(&a, type), 0);
  CHECK_RC(pthread_mutex_init(&mutex, &a), 0);
  CHECK_RC(pthread_mutexattr_destroy(&a), 0);
}

static void* die_holding(void* arg) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_OK(sem_post(&locked));
  if (arg) pthread_exit(NULL);
  return NULL;
}

static void* die_cancelled(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_OK(sem_post(&locked));
  for (;;) pause();
}

static void* wait_and_repair(void* arg) {
  (void)arg;
  int rc = pthread_mutex_lock(&mutex);
  if (rc == EOWNERDEAD)
    CHECK_RC(pthread_mutex_consistent(&mutex), 0);
  else
    CHECK_RC(rc, 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return rc == EOWNERDEAD ? &mutex : NULL;
}

static void owner_dies(void* how) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, die_holding, how), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  while (sem_wait(&locked) != 0) CHECK_EQ(errno, EINTR);
}

int main(void) {
  const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
  struct timespec later;
  pthread_t t, w[3];
  CHECK_OK(sem_init(&locked, 0, 0));
  for (int k = 0; k < 3; k++) {
    make(types[k]);
    CHECK_RC(pthread_mutex_consistent(&mutex), EINVAL);
    owner_dies(NULL);
    CHECK_RC(pthread_mutex_lock(&mutex), EOWNERDEAD);
    CHECK_RC(pthread_mutex_consistent(&mutex), 0);
    CHECK_RC(pthread_mutex_consistent(&mutex), EINVAL);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);

    owner_dies(&t);
    CHECK_RC(pthread_mutex_trylock(&mutex), EOWNERDEAD);
    CHECK_RC(pthread_mutex_consistent(&mutex), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);

    // Cancelled while holding; three threads wait for it, exactly one learns of the death.
    CHECK_RC(pthread_create(&t, NULL, die_cancelled, NULL), 0);
    while (sem_wait(&locked) != 0) CHECK_EQ(errno, EINTR);
    for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&w[i], NULL, wait_and_repair, NULL), 0);
    CHECK_RC(pthread_cancel(t), 0);
    CHECK_RC(pthread_join(t, NULL), 0);
    int told = 0;
    for (int i = 0; i < 3; i++) {
      void* result = NULL;
      CHECK_RC(pthread_join(w[i], &result), 0);
      told += result != NULL;
    }
    CHECK_EQ(told, 1);

    // EOWNERDEAD holds the mutex: dying again passes it on.
    owner_dies(NULL);
    CHECK_OK(clock_gettime(CLOCK_REALTIME, &later));
    later.tv_sec += 3600;
    CHECK_RC(pthread_mutex_timedlock(&mutex, &later), EOWNERDEAD);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);  // not made consistent
    CHECK_RC(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
    CHECK_RC(pthread_mutex_timedlock(&mutex, &later), ENOTRECOVERABLE);
    // Last: glibc 2.36 leaves the lock word taken after this one.
    CHECK_RC(pthread_mutex_trylock(&mutex), ENOTRECOVERABLE);
    CHECK_RC(pthread_mutex_destroy(&mutex), 0);
  }
  return check_passed("mutex_robust");
}

// SPDX-License-Identifier: Apache-2.0
