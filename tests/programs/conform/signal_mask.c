// Signal masks belong to a thread: inherited at creation, changed by pthread_sigmask alone, pending
// while blocked.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

#include "../check.h"

static __thread volatile sig_atomic_t handled;
static void handler(int sig) {
  (void)sig;
  handled = handled + 1;
}

static int blocked(int sig) {
  sigset_t now;
  CHECK_RC(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
  return sigismember(&now, sig);
}

static void* child(void* arg) {
  (void)arg;
  CHECK_EQ(blocked(SIGUSR1), 1);  // inherited
  CHECK_EQ(blocked(SIGUSR2), 0);
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  CHECK_EQ(blocked(SIGUSR1), 1);
  CHECK_EQ(blocked(SIGUSR2), 1);

  // Raised while blocked: pending for this thread, handled on unblocking, in this thread.
  CHECK_EQ(raise(SIGUSR2), 0);
  CHECK_EQ(raise(SIGUSR2), 0);  // standard signals do not queue
  CHECK_EQ(handled, 0);
  CHECK_OK(sigpending(&pending));
  CHECK_EQ(sigismember(&pending, SIGUSR2), 1);
  CHECK_EQ(sigismember(&pending, SIGUSR1), 0);
  CHECK_RC(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
  CHECK_EQ(handled, 1);
  CHECK_OK(sigpending(&pending));
  CHECK_EQ(sigismember(&pending, SIGUSR2), 0);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigset_t set, old;
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(sigaction(SIGUSR2, &action, NULL));
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &set, &old), 0);
  CHECK_EQ(sigismember(&old, SIGUSR1), 0);
  CHECK_RC(pthread_sigmask(99, &set, NULL), EINVAL);

  pthread_t t[3];
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&t[i], NULL, child, NULL), 0);
  CHECK_EQ(blocked(SIGUSR2), 0);
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(blocked(SIGUSR1), 1);
  CHECK_EQ(blocked(SIGUSR2), 0);
  CHECK_EQ(handled, 0);
  CHECK_RC(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
  CHECK_EQ(blocked(SIGUSR1), 0);

  // sigprocmask in a thread is its own mask too; an attribute can give the mask.
  pthread_attr_t a;
  CHECK_RC(pthread_attr_init(&a), 0);
  CHECK_RC(pthread_attr_setsigmask_np(&a, &set), 0);
  CHECK_RC(pthread_create(&t[0], &a, child, NULL), 0);
  CHECK_RC(pthread_join(t[0], NULL), 0);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  return check_passed("signal_mask");
}

// SPDX-License-Identifier: Apache-2.0
