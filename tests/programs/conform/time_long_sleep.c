// Sleeps and time-outs of hours, which cost nothing where time is virtual. Only with
// CHECK_LONG_SLEEPS=1; otherwise the same code with milliseconds.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "../check.h"

static long unit_ms = 1;  // an "hour" in milliseconds

static long long now_ms(void) {
  struct timespec t;
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &t));
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void sleep_hours(int hours) {
  long ms = hours * unit_ms;
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t) != 0) CHECK_EQ(errno, EINTR);
}

static void* sleeper(void* arg) {
  int hours = *(int*)arg;
  long long start = now_ms();
  sleep_hours(hours);
  CHECK(now_ms() - start >= hours * unit_ms - 1);
  return NULL;
}

static sem_t never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void* time_outs(void* arg) {
  (void)arg;
  struct timespec t;
  CHECK_OK(clock_gettime(CLOCK_REALTIME, &t));
  t.tv_sec += 5 * unit_ms / 1000;
  t.tv_nsec += 5 * unit_ms % 1000 * 1000000;
  if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
  CHECK_ERRNO(sem_timedwait(&never, &t), ETIMEDOUT);
  t.tv_sec += 7 * unit_ms / 1000;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  int rc;
  while ((rc = pthread_cond_timedwait(&cond, &mutex, &t)) == 0) continue;
  CHECK_RC(rc, ETIMEDOUT);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_EQ(poll(NULL, 0, (int)(2 * unit_ms)), 0);
  return NULL;
}

int main(void) {
  if (getenv("CHECK_LONG_SLEEPS")) unit_ms = 3600 * 1000;
  CHECK_OK(sem_init(&never, 0, 0));
  int hours[] = {1, 24, 3, 30, 2};
  pthread_t t[6];
  long long start = now_ms();
  for (int i = 0; i < 5; i++) CHECK_RC(pthread_create(&t[i], NULL, sleeper, &hours[i]), 0);
  CHECK_RC(pthread_create(&t[5], NULL, time_outs, NULL), 0);
  for (int i = 0; i < 6; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK(now_ms() - start >= 30 * unit_ms - 1);
  return check_passed("time_long_sleep");
}

// SPDX-License-Identifier: Apache-2.0
