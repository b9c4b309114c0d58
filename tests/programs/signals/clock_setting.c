// Setting the clock moves the calendar of the run and nothing else. NEVER to be run without jostle
// by who may set the machine's clock: it looks for two signs of virtual time first.
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

#include "../check.h"

static struct timespec read_clock(clockid_t clock) {
  struct timespec now;
  CHECK_OK(clock_gettime(clock, &now));
  return now;
}

// Virtual time: the monotonic clock begins at 1000 s, and an hour of sleep takes no time.
static void must_be_virtual(const char* argument) {
  if (!argument || strcmp(argument, "under-jostle") != 0) _exit(3);
  if (read_clock(CLOCK_MONOTONIC).tv_sec != 1000) _exit(3);
  const struct timespec hour = {3600, 0};
  CHECK_OK(nanosleep(&hour, NULL));
  if (read_clock(CLOCK_MONOTONIC).tv_sec != 4600) _exit(3);
}

static volatile sig_atomic_t fired;
static void handler(int sig) {
  (void)sig;
  fired = 1;
}

int main(int count, char** arguments) {
  must_be_virtual(count > 1 ? arguments[1] : NULL);
  struct timespec wrong = {0, 1000000000};
  CHECK_ERRNO(clock_settime(CLOCK_REALTIME, &wrong), EINVAL);
  struct timespec some = {2000000000, 0};
  CHECK_ERRNO(clock_settime(CLOCK_MONOTONIC, &some), EINVAL);
  const struct timespec before = read_clock(CLOCK_MONOTONIC);
  errno = 0;
  const int outcome = clock_settime(CLOCK_REALTIME, &some);
  if (outcome != 0) {  // who may not set it
    CHECK_EQ(errno, EPERM);
    CHECK_EQ(syscall(SYS_clock_settime, CLOCK_REALTIME, &some), -1);
    return check_passed("clock_setting");
  }
  CHECK_EQ(read_clock(CLOCK_REALTIME).tv_sec, 2000000000);
  CHECK(read_clock(CLOCK_MONOTONIC).tv_sec - before.tv_sec <= 1);
  CHECK_EQ(time(NULL), 2000000000);

  // Dates mean the new calendar.
  sem_t never;
  CHECK_OK(sem_init(&never, 0, 0));
  struct timespec until = {2000000010, 0};
  CHECK_ERRNO(sem_timedwait(&never, &until), ETIMEDOUT);
  CHECK(read_clock(CLOCK_REALTIME).tv_sec >= 2000000010);

  // A timer that waits for a date strikes when the clock is set past it.
  signal(SIGALRM, handler);
  timer_t timer;
  CHECK_OK(timer_create(CLOCK_REALTIME, NULL, &timer));
  struct itimerspec date = {.it_value = {2100000000, 0}};
  CHECK_OK(timer_settime(timer, TIMER_ABSTIME, &date, NULL));
  struct timeval later = {2100000001, 0};
  CHECK_EQ(fired, 0);
  CHECK_OK(settimeofday(&later, NULL));
  while (!fired) continue;
  CHECK_OK(timer_delete(timer));

  CHECK_EQ(syscall(SYS_clock_settime, CLOCK_REALTIME, &some), 0);
  CHECK_EQ(time(NULL), 2000000000);
  struct timeval delta = {1, 0}, old;
  CHECK_OK(adjtime(&delta, &old));
  struct timex adjustment = {.modes = ADJ_FREQUENCY, .freq = 100};
  CHECK(adjtimex(&adjustment) >= 0);
  CHECK_EQ(adjustment.time.tv_sec, 2000000000);
  adjustment = (struct timex){.modes = ADJ_SETOFFSET, .time = {100, 0}};
  CHECK(clock_adjtime(CLOCK_REALTIME, &adjustment) >= 0);
  CHECK_EQ(time(NULL), 2000000100);
  return check_passed("clock_setting");
}

// SPDX-License-Identifier: Apache-2.0
