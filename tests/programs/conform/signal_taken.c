// Two threads wait for a signal that is sent to the process: one gets it. The other one goes on
// waiting, and its time is not up.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "../check.h"

enum { kThreads = 2, kSignals = 3 };

static sigset_t set;
static atomic_int taken;

static void* collector(void* unused) {
  for (;;) {
    const struct timespec guard = {1000, 0};
    const int sig = sigtimedwait(&set, NULL, &guard);
    if (sig == SIGTERM) return unused;
    CHECK_EQ(sig, SIGRTMIN);
    atomic_fetch_add(&taken, 1);
  }
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGRTMIN);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++)
    CHECK_RC(pthread_create(&threads[i], NULL, collector, NULL), 0);
  const union sigval none = {0};
  for (int i = 0; i < kSignals; i++) CHECK_OK(sigqueue(getpid(), SIGRTMIN, none));
  const struct timespec little = {0, 1000000};
  while (atomic_load(&taken) < kSignals) nanosleep(&little, NULL);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_kill(threads[i], SIGTERM), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(threads[i], NULL), 0);
  return check_passed("signal_taken");
}

// SPDX-License-Identifier: Apache-2.0
