// Every way to sleep takes at least the time asked for, as every clock sees it.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>

#include "../check.h"

static long long ns(clockid_t clock) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void by_nanosleep(void) {
  struct timespec t = {0, 2000000}, left = {7, 7};
  CHECK_OK(nanosleep(&t, &left));
}
static void by_usleep(void) { CHECK_OK(usleep(2000)); }
static void by_clock_relative(void) {
  struct timespec t = {0, 2000000};
  CHECK_RC(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), 0);
}
static void by_clock_realtime(void) {
  struct timespec t = {0, 2000000};
  CHECK_RC(clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL), 0);
}
static void by_clock_absolute(void) {
  struct timespec t;
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &t));
  t.tv_nsec += 2000000;
  if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
  CHECK_RC(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL), 0);
}
static void by_thrd_sleep(void) {
  struct timespec t = {0, 2000000};
  CHECK_EQ(thrd_sleep(&t, NULL), 0);
}
static void by_poll(void) { CHECK_EQ(poll(NULL, 0, 2), 0); }
static void by_ppoll(void) {
  struct timespec t = {0, 2000000};
  CHECK_EQ(ppoll(NULL, 0, &t, NULL), 0);
}
static void by_select(void) {
  struct timeval t = {0, 2000};
  CHECK_EQ(select(0, NULL, NULL, NULL, &t), 0);
}
static void by_pselect(void) {
  struct timespec t = {0, 2000000};
  CHECK_EQ(pselect(0, NULL, NULL, NULL, &t, NULL), 0);
}

static void (*const ways[])(void) = {
    by_nanosleep,  by_usleep, by_clock_relative, by_clock_realtime, by_clock_absolute,
    by_thrd_sleep, by_poll,   by_ppoll,          by_select,         by_pselect};

static void* body(void* arg) {
  (void)arg;
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
    long long monotonic = ns(CLOCK_MONOTONIC), real = ns(CLOCK_REALTIME);
    ways[i]();
    CHECK(ns(CLOCK_MONOTONIC) - monotonic >= 2000000);
    CHECK(ns(CLOCK_REALTIME) - real >= 1900000);  // the wall clock may be slewed natively
  }
  return NULL;
}

int main(void) {
  body(NULL);
  pthread_t t[3];
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(t[i], NULL), 0);

  struct timespec bad = {0, 1000000000}, negative = {-1, 0}, zero = {0, 0}, past = {1, 0};
  CHECK_ERRNO(nanosleep(&bad, NULL), EINVAL);
  CHECK_ERRNO(nanosleep(&negative, NULL), EINVAL);
  CHECK_RC(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
  CHECK_RC(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &zero, NULL), EINVAL);
  CHECK_RC(clock_nanosleep(12345, 0, &zero, NULL), EINVAL);
  CHECK_OK(nanosleep(&zero, NULL));
  CHECK_RC(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL), 0);
  CHECK_RC(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &past, NULL), 0);
  CHECK_EQ(sleep(0), 0);
  return check_passed("time_sleep");
}

// SPDX-License-Identifier: Apache-2.0
