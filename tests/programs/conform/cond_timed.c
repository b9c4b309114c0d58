// pthread_cond_timedwait and pthread_cond_clockwait: ETIMEDOUT no earlier than the deadline and
// with the mutex held; the clock of the attribute counts; bad arguments are EINVAL.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "../check.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, monotonic;
static int flag;

static struct timespec after_ms(clockid_t clock, long ms) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  t.tv_nsec += ms * 1000000L;
  t.tv_sec += t.tv_nsec / 1000000000L;
  t.tv_nsec %= 1000000000L;
  return t;
}

static void must_time_out(pthread_cond_t* c, clockid_t by_call, clockid_t clock, long ms) {
  struct timespec when = after_ms(clock, ms), now;
  int rc;
  do {  // nobody signals, but a spurious wake-up is legal
    rc = by_call == -1 ? pthread_cond_timedwait(c, &mutex, &when)
                       : pthread_cond_clockwait(c, &mutex, by_call, &when);
  } while (rc == 0);
  CHECK_RC(rc, ETIMEDOUT);
  CHECK_OK(clock_gettime(clock, &now));
  CHECK(now.tv_sec > when.tv_sec || (now.tv_sec == when.tv_sec && now.tv_nsec >= when.tv_nsec));
  CHECK_RC(pthread_mutex_lock(&mutex), EDEADLK);  // we own it
}

static void* setter(void* arg) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  flag = 1;
  CHECK_RC(pthread_cond_signal(arg), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t ma;
  CHECK_RC(pthread_mutexattr_init(&ma), 0);
  CHECK_RC(pthread_mutexattr_settype(&ma, PTHREAD_MUTEX_ERRORCHECK), 0);
  CHECK_RC(pthread_mutex_init(&mutex, &ma), 0);

  pthread_condattr_t ca;
  clockid_t clock = -1;
  int shared = -1;
  CHECK_RC(pthread_condattr_init(&ca), 0);
  CHECK_RC(pthread_condattr_getclock(&ca, &clock), 0);
  CHECK_EQ(clock, CLOCK_REALTIME);
  CHECK_RC(pthread_condattr_setclock(&ca, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
  CHECK_RC(pthread_condattr_setclock(&ca, CLOCK_MONOTONIC), 0);
  CHECK_RC(pthread_condattr_getclock(&ca, &clock), 0);
  CHECK_EQ(clock, CLOCK_MONOTONIC);
  CHECK_RC(pthread_condattr_getpshared(&ca, &shared), 0);
  CHECK_EQ(shared, PTHREAD_PROCESS_PRIVATE);
  CHECK_RC(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_condattr_getpshared(&ca, &shared), 0);
  CHECK_EQ(shared, PTHREAD_PROCESS_SHARED);
  CHECK_RC(pthread_condattr_setpshared(&ca, 9), EINVAL);
  CHECK_RC(pthread_cond_init(&monotonic, &ca), 0);
  CHECK_RC(pthread_condattr_destroy(&ca), 0);

  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  struct timespec bad = {0, 1000000000L}, negative = {0, -1}, past = {1, 0};
  CHECK_RC(pthread_cond_timedwait(&cond, &mutex, &bad), EINVAL);
  CHECK_RC(pthread_cond_timedwait(&cond, &mutex, &negative), EINVAL);
  CHECK_RC(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &bad), EINVAL);
  CHECK_RC(pthread_cond_clockwait(&cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
  CHECK_RC(pthread_cond_timedwait(&cond, &mutex, &past), ETIMEDOUT);
  CHECK_RC(pthread_mutex_lock(&mutex), EDEADLK);
  must_time_out(&cond, -1, CLOCK_REALTIME, 4);
  must_time_out(&monotonic, -1, CLOCK_MONOTONIC, 4);
  must_time_out(&cond, CLOCK_MONOTONIC, CLOCK_MONOTONIC, 4);
  must_time_out(&cond, CLOCK_REALTIME, CLOCK_REALTIME, 4);
  must_time_out(&monotonic, CLOCK_REALTIME, CLOCK_REALTIME, 4);

  // Signalled in time or timed out: either way the flag tells the truth under the mutex.
  for (int i = 0; i < 20; i++) {
    pthread_t t;
    flag = 0;
    pthread_cond_t* c = i % 2 ? &monotonic : &cond;
    CHECK_RC(pthread_create(&t, NULL, setter, c), 0);
    while (!flag) {
      struct timespec when = after_ms(i % 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME, i < 10 ? 1 : 60000);
      int rc = pthread_cond_timedwait(c, &mutex, &when);
      CHECK(rc == 0 || rc == ETIMEDOUT);
    }
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_join(t, NULL), 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
  }
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_cond_destroy(&cond), 0);
  CHECK_RC(pthread_cond_destroy(&monotonic), 0);
  return check_passed("cond_timed");
}

// SPDX-License-Identifier: Apache-2.0
