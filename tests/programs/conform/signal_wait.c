// sigwait and its kin: a thread collects blocked signals that others send it; sigtimedwait is
// EAGAIN without one.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "../check.h"

static sigset_t set;

static void* collector(void* arg) {
  sem_t* got = arg;  // one count per signal
  for (;;) {
    int sig = 0;
    CHECK_RC(sigwait(&set, &sig), 0);
    if (sig == SIGTERM) return NULL;
    CHECK_OK(sem_post(&got[sig == SIGUSR1 ? 0 : 1]));
  }
}

static void* one_info(void* arg) {
  siginfo_t si;
  int sig;
  while ((sig = sigwaitinfo(&set, &si)) == -1) CHECK_EQ(errno, EINTR);
  CHECK_EQ(sig, SIGUSR2);
  CHECK_EQ(si.si_signo, SIGUSR2);
  CHECK_EQ(si.si_pid, getpid());
  return arg;
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGTERM);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);

  // To oneself: pending first, then taken.
  int sig = 0;
  CHECK_RC(pthread_kill(pthread_self(), SIGUSR1), 0);
  CHECK_RC(sigwait(&set, &sig), 0);
  CHECK_EQ(sig, SIGUSR1);

  struct timespec zero = {0, 0}, little = {0, 3000000}, bad = {0, -1};
  CHECK_ERRNO(sigtimedwait(&set, NULL, &zero), EAGAIN);
  CHECK_ERRNO(sigtimedwait(&set, NULL, &little), EAGAIN);
  CHECK_ERRNO(sigtimedwait(&set, NULL, &bad), EINVAL);
  CHECK_EQ(raise(SIGUSR2), 0);
  siginfo_t si;
  CHECK_EQ(sigtimedwait(&set, &si, &zero), SIGUSR2);
  CHECK_EQ(si.si_signo, SIGUSR2);

  // To another thread, before or while it waits.
  sem_t got[2];
  for (int i = 0; i < 2; i++) CHECK_OK(sem_init(&got[i], 0, 0));
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, collector, got), 0);
  for (int round = 0; round < 5; round++) {
    CHECK_RC(pthread_kill(t, SIGUSR1), 0);
    CHECK_RC(pthread_kill(t, SIGUSR2), 0);
    for (int i = 0; i < 2; i++) {
      while (sem_wait(&got[i]) != 0) CHECK_EQ(errno, EINTR);
    }
  }
  CHECK_RC(pthread_kill(t, SIGTERM), 0);
  CHECK_RC(pthread_join(t, NULL), 0);

  CHECK_RC(pthread_create(&t, NULL, one_info, NULL), 0);
  CHECK_RC(pthread_kill(t, SIGUSR2), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("signal_wait");
}

// SPDX-License-Identifier: Apache-2.0
