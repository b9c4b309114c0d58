// Timed read-write locks: a free lock is taken whatever the deadline, a held one gives ETIMEDOUT,
// bad times EINVAL.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "../check.h"

static pthread_rwlock_t lock;
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

static void* holder(void* write) {
  CHECK_RC(write ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_rdlock(&lock), 0);
  CHECK_OK(sem_post(&held));
  while (sem_wait(&release) != 0) CHECK_EQ(errno, EINTR);
  if (write) guarded++;
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static pthread_t hold(void* write) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, holder, write), 0);
  while (sem_wait(&held) != 0) CHECK_EQ(errno, EINTR);
  return t;
}

int main(void) {
  struct timespec past = {1, 0}, bad = {1, 2000000000L}, soon;
  int rc;
  CHECK_OK(sem_init(&held, 0, 0));
  CHECK_OK(sem_init(&release, 0, 0));
  CHECK_RC(pthread_rwlock_init(&lock, NULL), 0);

  CHECK_RC(pthread_rwlock_timedrdlock(&lock, &past), 0);
  CHECK_RC(pthread_rwlock_timedrdlock(&lock, &past), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_rwlock_timedwrlock(&lock, &past), 0);
  CHECK_RC(pthread_rwlock_timedwrlock(&lock, &past), EDEADLK);
  CHECK_RC(pthread_rwlock_timedrdlock(&lock, &past), EDEADLK);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);

  // Held by a writer.
  pthread_t t = hold(&lock);
  CHECK_RC(pthread_rwlock_timedrdlock(&lock, &past), ETIMEDOUT);
  CHECK_RC(pthread_rwlock_timedwrlock(&lock, &past), ETIMEDOUT);
  CHECK_RC(pthread_rwlock_timedrdlock(&lock, &bad), EINVAL);
  CHECK_RC(pthread_rwlock_timedwrlock(&lock, &bad), EINVAL);
  soon = after_ms(CLOCK_REALTIME, 4);
  CHECK_RC(pthread_rwlock_timedrdlock(&lock, &soon), ETIMEDOUT);
  soon = after_ms(CLOCK_MONOTONIC, 4);
  CHECK_RC(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  soon = after_ms(CLOCK_MONOTONIC, 4);
  CHECK_RC(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  CHECK_OK(sem_post(&release));
  do {
    soon = after_ms(CLOCK_REALTIME, 30000);
    rc = pthread_rwlock_timedrdlock(&lock, &soon);
  } while (rc == ETIMEDOUT);
  CHECK_RC(rc, 0);
  CHECK_EQ(guarded, 1);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_join(t, NULL), 0);

  // Held by a reader: readers get in, a writer times out, and leaves the lock as it was.
  t = hold(NULL);
  CHECK_RC(pthread_rwlock_timedwrlock(&lock, &past), ETIMEDOUT);
  soon = after_ms(CLOCK_REALTIME, 4);
  CHECK_RC(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
  CHECK_RC(pthread_rwlock_timedrdlock(&lock, &past), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_rwlock_tryrdlock(&lock), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_OK(sem_post(&release));
  do {
    soon = after_ms(CLOCK_MONOTONIC, 30000);
    rc = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon);
  } while (rc == ETIMEDOUT);
  CHECK_RC(rc, 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_RC(pthread_rwlock_destroy(&lock), 0);
  return check_passed("rwlock_timed");
}

// SPDX-License-Identifier: Apache-2.0
