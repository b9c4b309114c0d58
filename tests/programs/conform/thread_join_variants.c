// pthread_tryjoin_np, pthread_timedjoin_np and pthread_clockjoin_np: EBUSY and ETIMEDOUT while the
// thread lives, the result once it is gone.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <time.h>

#include "../check.h"

static sem_t go;

static void* wait_for_go(void* arg) {
  while (sem_wait(&go) != 0) CHECK_EQ(errno, EINTR);
  return arg;
}

static struct timespec after_ms(clockid_t clock, long ms) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  t.tv_nsec += ms * 1000000L;
  t.tv_sec += t.tv_nsec / 1000000000L;
  t.tv_nsec %= 1000000000L;
  return t;
}

static int reached(clockid_t clock, const struct timespec* when) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  return t.tv_sec > when->tv_sec || (t.tv_sec == when->tv_sec && t.tv_nsec >= when->tv_nsec);
}

int main(void) {
  pthread_t t;
  void* result = NULL;
  CHECK_OK(sem_init(&go, 0, 0));

  // The thread cannot end before go is posted.
  CHECK_RC(pthread_create(&t, NULL, wait_for_go, (void*)1), 0);
  CHECK_RC(pthread_tryjoin_np(t, &result), EBUSY);
  struct timespec past = {1, 0}, soon;
  CHECK_RC(pthread_timedjoin_np(t, &result, &past), ETIMEDOUT);
  soon = after_ms(CLOCK_REALTIME, 5);
  CHECK_RC(pthread_timedjoin_np(t, &result, &soon), ETIMEDOUT);
  CHECK(reached(CLOCK_REALTIME, &soon));
  soon = after_ms(CLOCK_MONOTONIC, 5);
  CHECK_RC(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  CHECK(reached(CLOCK_MONOTONIC, &soon));
  soon = after_ms(CLOCK_REALTIME, 5);
  CHECK_RC(pthread_clockjoin_np(t, &result, CLOCK_REALTIME, &soon), ETIMEDOUT);
  CHECK_RC(pthread_clockjoin_np(t, &result, CLOCK_PROCESS_CPUTIME_ID, &soon), EINVAL);
  CHECK_RC(pthread_tryjoin_np(pthread_self(), NULL), EBUSY);
  CHECK(result == NULL);
  CHECK_OK(sem_post(&go));
  int rc;
  while ((rc = pthread_tryjoin_np(t, &result)) == EBUSY) sched_yield();
  CHECK_RC(rc, 0);
  CHECK_EQ((intptr_t)result, 1);

  // A time-out, however far away, may come first in virtual time: then join again.
  CHECK_RC(pthread_create(&t, NULL, wait_for_go, (void*)2), 0);
  CHECK_OK(sem_post(&go));
  do {
    soon = after_ms(CLOCK_REALTIME, 60000);
    rc = pthread_timedjoin_np(t, &result, &soon);
  } while (rc == ETIMEDOUT);
  CHECK_RC(rc, 0);
  CHECK_EQ((intptr_t)result, 2);

  CHECK_RC(pthread_create(&t, NULL, wait_for_go, (void*)3), 0);
  CHECK_OK(sem_post(&go));
  do {
    soon = after_ms(CLOCK_MONOTONIC, 60000);
    rc = pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &soon);
  } while (rc == ETIMEDOUT);
  CHECK_RC(rc, 0);
  CHECK_EQ((intptr_t)result, 3);
  return check_passed("thread_join_variants");
}

// SPDX-License-Identifier: Apache-2.0
