// Contexts: setcontext and swapcontext set the signal mask by themselves, past all hooks.
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "pristine.h"

static int entered, resumed;
static char stacks[2][65536];

static void inside(void) { __atomic_fetch_add(&entered, 1, __ATOMIC_SEQ_CST); }

static void* work(void* number) {
  ucontext_t here, there;
  MUST(getcontext(&there) == 0);
  there.uc_stack.ss_sp = stacks[(long)number];
  there.uc_stack.ss_size = sizeof stacks[0];
  there.uc_link = &here;
  sigaddset(&there.uc_sigmask, SIGUSR1);
  makecontext(&there, inside, 0);
  MUST(swapcontext(&here, &there) == 0);
  return NULL;
}

int main(void) {
  sigset_t mask;
  PRISTINE(entered == 0 && resumed == 0);
  sigprocmask(SIG_BLOCK, NULL, &mask);
  PRISTINE(!sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGUSR2));
  in_threads(2, work);
  MUST(entered == 2);
  ucontext_t here;
  MUST(getcontext(&here) == 0);
  sigaddset(&here.uc_sigmask, SIGUSR2);
  if (!resumed++) setcontext(&here);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
