// raise runs the handler in the calling thread before it returns; SA_SIGINFO, masks during the
// handler, reset and ignore.
#include <pthread.h>
#include <signal.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 30 };

static __thread volatile sig_atomic_t count, nested, last;

static void plain(int sig) {
  last = sig;
  count = count + 1;
}

static void info(int sig, siginfo_t* si, void* context) {
  CHECK_EQ(si->si_signo, sig);
  CHECK(context != NULL);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  CHECK_EQ(sigismember(&now, SIGUSR2), 1);  // itself
  CHECK_EQ(sigismember(&now, SIGUSR1), 1);  // sa_mask
  nested = nested + 1;
}

static void* body(void* arg) {
  (void)arg;
  for (int i = 1; i <= kRounds; i++) {
    CHECK_EQ(raise(SIGUSR1), 0);
    CHECK_EQ(count, i);
    CHECK_EQ(last, SIGUSR1);
    CHECK_EQ(raise(SIGUSR2), 0);
    CHECK_EQ(nested, i);
    CHECK_EQ(raise(SIGURG), 0);  // ignored by default
  }
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = plain}, old;
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  struct sigaction with_info = {.sa_sigaction = info, .sa_flags = SA_SIGINFO};
  sigemptyset(&with_info.sa_mask);
  sigaddset(&with_info.sa_mask, SIGUSR1);
  CHECK_OK(sigaction(SIGUSR2, &with_info, NULL));
  CHECK_OK(sigaction(SIGUSR1, NULL, &old));
  CHECK(old.sa_handler == plain);

  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  body(NULL);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);

  CHECK(signal(SIGUSR1, SIG_IGN) == plain);
  CHECK_EQ(raise(SIGUSR1), 0);
  CHECK_EQ(count, kRounds);
  struct sigaction once = {.sa_handler = plain, .sa_flags = (int)SA_RESETHAND};
  CHECK_OK(sigaction(SIGUSR1, &once, NULL));
  CHECK_EQ(raise(SIGUSR1), 0);
  CHECK_EQ(count, kRounds + 1);
  CHECK_OK(sigaction(SIGUSR1, NULL, &old));
  CHECK(old.sa_handler == SIG_DFL);
  CHECK_ERRNO(sigaction(SIGKILL, &action, NULL), EINVAL);
  return check_passed("signal_raise");
}

// SPDX-License-Identifier: Apache-2.0
