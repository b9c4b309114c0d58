// The thread that runs a timer's function blocks all signals: those of the process are for the
// threads that the program has made for them.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "../check.h"

static sem_t told, may_end;

static void function(union sigval value) {
  sigset_t mask;
  CHECK_RC(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
  CHECK_EQ(sigismember(&mask, SIGTERM), 1);
  CHECK_EQ(sigismember(&mask, SIGUSR1), 1);
  CHECK_EQ(value.sival_int, 7);
  CHECK_OK(sem_post(&told));
  CHECK_OK(sem_wait(&may_end));  // it is there while the signal comes
}

int main(void) {
  sigset_t term;
  CHECK_OK(sem_init(&told, 0, 0));
  CHECK_OK(sem_init(&may_end, 0, 0));
  CHECK_OK(sigemptyset(&term));
  CHECK_OK(sigaddset(&term, SIGTERM));
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &term, NULL), 0);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value = {.sival_int = 7}};
  event.sigev_notify_function = function;
  timer_t timer;
  CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  const struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  CHECK_OK(timer_settime(timer, 0, &soon, NULL));
  CHECK_OK(sem_wait(&told));
  CHECK_OK(kill(getpid(), SIGTERM));  // would end the process in a thread that does not block it
  CHECK_OK(sem_post(&may_end));
  int signal = 0;
  CHECK_RC(sigwait(&term, &signal), 0);
  CHECK_EQ(signal, SIGTERM);
  CHECK_OK(timer_delete(timer));
  return check_passed("timer_thread_mask");
}

// SPDX-License-Identifier: Apache-2.0
