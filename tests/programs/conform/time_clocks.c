// The clocks agree with each other, never run backwards, and all move with a sleep.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include "../check.h"

static const clockid_t clocks[] = {CLOCK_REALTIME,
                                   CLOCK_MONOTONIC,
                                   CLOCK_MONOTONIC_RAW,
                                   CLOCK_REALTIME_COARSE,
                                   CLOCK_MONOTONIC_COARSE,
                                   CLOCK_BOOTTIME,
                                   CLOCK_TAI};
enum { kClocks = sizeof clocks / sizeof *clocks };

static long long ns(clockid_t clock) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  CHECK(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long long last[kClocks];

static void* never_back(void* arg) {
  (void)arg;
  for (int i = 0; i < 30; i++) {
    for (int k = 1; k < kClocks; k++) {
      if (clocks[k] == CLOCK_REALTIME_COARSE || clocks[k] == CLOCK_TAI) continue;  // may be set
      CHECK_RC(pthread_mutex_lock(&mutex), 0);
      long long now = ns(clocks[k]);
      CHECK(now >= last[k]);
      last[k] = now;
      CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    }
  }
  return NULL;
}

int main(void) {
  struct timespec r;
  for (int k = 0; k < kClocks; k++) {
    CHECK_OK(clock_getres(clocks[k], &r));
    CHECK(r.tv_sec == 0 && r.tv_nsec >= 1);
  }
  CHECK_ERRNO(clock_gettime(12345, &r), EINVAL);

  // A sleep of 20 ms: longer than the tick of the coarse clocks, and than any slewing.
  long long before[kClocks];
  for (int k = 0; k < kClocks; k++) before[k] = ns(clocks[k]);
  struct timespec t = {0, 20000000};
  CHECK_OK(nanosleep(&t, NULL));
  for (int k = 0; k < kClocks; k++) CHECK(ns(clocks[k]) - before[k] >= 9000000);

  // Different calls for the wall clock, in order.
  long long a = ns(CLOCK_REALTIME_COARSE);
  long long b = ns(CLOCK_REALTIME);
  struct timeval tv;
  CHECK_OK(gettimeofday(&tv, NULL));
  long long c = tv.tv_sec * 1000000000LL + tv.tv_usec * 1000LL;
  struct timespec utc;
  CHECK_EQ(timespec_get(&utc, TIME_UTC), TIME_UTC);
  long long d = utc.tv_sec * 1000000000LL + utc.tv_nsec;
  CHECK(b >= a);
  CHECK(c + 1000 > b);
  CHECK(d >= c);
  time_t whole = time(NULL), stored = 0;
  CHECK(whole >= a / 1000000000LL);
  CHECK(time(&stored) == stored);
  CHECK(ns(CLOCK_REALTIME) / 1000000000LL >= a / 1000000000LL);
  CHECK(ns(CLOCK_BOOTTIME) >= ns(CLOCK_MONOTONIC) - 1000000000LL);
  struct tm tm;
  CHECK(gmtime_r(&whole, &tm) == &tm);
  CHECK(tm.tm_year >= 70);

  // CPU time passes with work only; it need not be virtual.
  clock_t cpu = clock();
  CHECK(cpu != (clock_t)-1);
  CHECK(clock() >= cpu);

  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_create(&threads[i], NULL, never_back, NULL), 0);
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_join(threads[i], NULL), 0);
  return check_passed("time_clocks");
}

// SPDX-License-Identifier: Apache-2.0
