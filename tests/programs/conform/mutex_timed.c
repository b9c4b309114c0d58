// pthread_mutex_timedlock and pthread_mutex_clocklock: a free mutex is taken whatever the deadline
// says, a held one gives ETIMEDOUT no earlier than the deadline, bad arguments EINVAL.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "../check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t held, release;
static int guarded;

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

static void* holder(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_OK(sem_post(&held));
  while (sem_wait(&release) != 0) CHECK_EQ(errno, EINTR);
  guarded = 1;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

int main(void) {
  struct timespec past = {0, 0}, bad = {0, 1000000000L}, negative = {0, -1}, soon;
  CHECK_OK(sem_init(&held, 0, 0));
  CHECK_OK(sem_init(&release, 0, 0));

  CHECK_RC(pthread_mutex_timedlock(&mutex, &past), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_mutex_timedlock(&mutex, &bad), 0);  // not looked at when the mutex is free
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);

  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, holder, NULL), 0);
  while (sem_wait(&held) != 0) CHECK_EQ(errno, EINTR);
  CHECK_RC(pthread_mutex_timedlock(&mutex, &past), ETIMEDOUT);
  CHECK_RC(pthread_mutex_timedlock(&mutex, &bad), EINVAL);
  CHECK_RC(pthread_mutex_timedlock(&mutex, &negative), EINVAL);
  CHECK_RC(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &bad), EINVAL);
  soon = after_ms(CLOCK_REALTIME, 5);
  CHECK_RC(pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
  CHECK(reached(CLOCK_REALTIME, &soon));
  soon = after_ms(CLOCK_MONOTONIC, 5);
  CHECK_RC(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  CHECK(reached(CLOCK_MONOTONIC, &soon));
  soon = after_ms(CLOCK_REALTIME, 5);
  CHECK_RC(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &soon), ETIMEDOUT);
  CHECK(reached(CLOCK_REALTIME, &soon));

  // Released meanwhile: got in the end, with the owner's writes.
  CHECK_OK(sem_post(&release));
  int rc;
  do {
    soon = after_ms(CLOCK_REALTIME, 10000);
    rc = pthread_mutex_timedlock(&mutex, &soon);
  } while (rc == ETIMEDOUT);
  CHECK_RC(rc, 0);
  CHECK_EQ(guarded, 1);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("mutex_timed");
}

// SPDX-License-Identifier: Apache-2.0
