// sem_timedwait and sem_clockwait: ETIMEDOUT at zero no earlier than the deadline, success whatever
// the deadline when positive, EINVAL for bad times.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "../check.h"

static sem_t sem;

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

static void* poster(void* arg) {
  (void)arg;
  CHECK_OK(sem_post(&sem));
  return NULL;
}

int main(void) {
  struct timespec past = {1, 0}, bad = {1, 1000000000L}, soon;
  CHECK_OK(sem_init(&sem, 0, 3));
  CHECK_OK(sem_timedwait(&sem, &past));
  CHECK_OK(sem_clockwait(&sem, CLOCK_MONOTONIC, &past));
  CHECK_OK(sem_timedwait(&sem, &past));
  CHECK_ERRNO(sem_timedwait(&sem, &past), ETIMEDOUT);
  CHECK_ERRNO(sem_timedwait(&sem, &bad), EINVAL);
  CHECK_ERRNO(sem_clockwait(&sem, CLOCK_MONOTONIC, &bad), EINVAL);
  CHECK_ERRNO(sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
  soon = after_ms(CLOCK_REALTIME, 4);
  CHECK_ERRNO(sem_timedwait(&sem, &soon), ETIMEDOUT);
  CHECK(reached(CLOCK_REALTIME, &soon));
  soon = after_ms(CLOCK_MONOTONIC, 4);
  CHECK_ERRNO(sem_clockwait(&sem, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  CHECK(reached(CLOCK_MONOTONIC, &soon));

  for (int i = 0; i < 20; i++) {
    pthread_t t;
    CHECK_RC(pthread_create(&t, NULL, poster, NULL), 0);
    for (;;) {
      clockid_t clock = i % 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
      soon = after_ms(clock, i < 10 ? 1 : 20000);
      if (sem_clockwait(&sem, clock, &soon) == 0) break;
      CHECK_EQ(errno, ETIMEDOUT);
    }
    CHECK_RC(pthread_join(t, NULL), 0);
    CHECK_ERRNO(sem_trywait(&sem), EAGAIN);
  }
  CHECK_OK(sem_destroy(&sem));
  return check_passed("sem_timed");
}

// SPDX-License-Identifier: Apache-2.0
