// A signal to the own process group: the handler has run when the call returns.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "../check.h"

static volatile sig_atomic_t handled;
static void handler(int sig) { handled += sig == SIGUSR1; }

static void child(void) {
  const struct sigaction action = {.sa_handler = handler};
  CHECK_OK(setpgid(0, 0));
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(killpg(getpgrp(), SIGUSR1));
  CHECK_EQ(handled, 1);
  CHECK_OK(kill(0, SIGUSR1));
  CHECK_EQ(handled, 2);
  CHECK_OK(kill(-getpgrp(), SIGUSR1));
  CHECK_EQ(handled, 3);
  CHECK_ERRNO(killpg(-1, SIGUSR1), EINVAL);
  _exit(0);
}

int main(void) {
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) child();
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK_EQ(status, 0);
  return check_passed("signal_group");
}

// SPDX-License-Identifier: Apache-2.0
