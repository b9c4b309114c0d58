// An error-checking mutex: EDEADLK for the owner's second lock, EPERM for an unlock by anyone who
// does not own it.
#include <pthread.h>
#include <time.h>

#include "../check.h"

static pthread_mutex_t mutex;
static int guarded;

static void* other(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_trylock(&mutex), EBUSY);
  CHECK_RC(pthread_mutex_unlock(&mutex), EPERM);
  struct timespec past = {1, 0};
  CHECK_RC(pthread_mutex_timedlock(&mutex, &past), ETIMEDOUT);
  return NULL;
}

static void* blocks(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_EQ(guarded, 1);
  guarded = 2;
  CHECK_RC(pthread_mutex_lock(&mutex), EDEADLK);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t a;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  CHECK_RC(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK), 0);
  CHECK_RC(pthread_mutex_init(&mutex, &a), 0);
  CHECK_RC(pthread_mutexattr_destroy(&a), 0);

  CHECK_RC(pthread_mutex_unlock(&mutex), EPERM);
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_RC(pthread_mutex_lock(&mutex), EDEADLK);
  CHECK_RC(pthread_mutex_trylock(&mutex), EBUSY);
  struct timespec later;
  CHECK_OK(clock_gettime(CLOCK_REALTIME, &later));
  later.tv_sec += 100;
  CHECK_RC(pthread_mutex_timedlock(&mutex, &later), EDEADLK);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), EPERM);

  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, other, NULL), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_RC(pthread_create(&t, NULL, blocks, NULL), 0);
  guarded = 1;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_EQ(guarded, 2);
  CHECK_RC(pthread_mutex_trylock(&mutex), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_mutex_destroy(&mutex), 0);
  return check_passed("mutex_errorcheck");
}

// SPDX-License-Identifier: Apache-2.0
