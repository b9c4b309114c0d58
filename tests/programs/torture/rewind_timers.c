// Timers that are set and do not fire: the next run must not hear of them.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "pristine.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fired;

static void on_signal(int sig) {
  (void)sig;
  fired = 1;
}

static void* set(void* number) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  struct itimerspec when = {.it_value = {.tv_sec = 1000}};
  timer_t timer;
  pthread_mutex_lock(&lock);
  MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  MUST(timer_settime(timer, 0, &when, NULL) == 0);
  if (number) MUST(timer_delete(timer) == 0);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  struct itimerval now;
  PRISTINE(fired == 0);
  for (int which = 0; which < 3; which++) {
    PRISTINE(getitimer((enum __itimer_which)which, &now) == 0);
    PRISTINE(now.it_value.tv_sec == 0 && now.it_value.tv_usec == 0);
  }
  signal(SIGALRM, on_signal);
  signal(SIGRTMIN, on_signal);
  PRISTINE(alarm(2000) == 0);
  now = (struct itimerval){.it_value = {.tv_sec = 500}};
  MUST(setitimer(ITIMER_VIRTUAL, &now, NULL) == 0);
  in_threads(2, set);
  MUST(fired == 0);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
