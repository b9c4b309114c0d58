// Handlers, masks, signals still pending at the end, alternate stacks, jumps out of handlers.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "pristine.h"

static int handled;
static sigjmp_buf back;
static char stack_memory[65536];

static void handler(int sig) {
  __atomic_fetch_add(&handled, sig == SIGUSR1 ? 1 : 100, __ATOMIC_SEQ_CST);
}
static void jump(int sig) {
  (void)sig;
  siglongjmp(back, 1);
}

static int is_default(int sig) {
  struct sigaction now;
  return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

static int is_mask_empty(void) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  for (int sig = 1; sig < 31; sig++) {
    if (sigismember(&now, sig)) return 0;
  }
  return 1;
}

static void set(int sig, void (*function)(int)) {
  struct sigaction action = {.sa_handler = function};
  MUST(sigaction(sig, &action, NULL) == 0);
}

static void* worker(void* number) {
  PRISTINE(is_mask_empty());
  sigset_t block;
  sigemptyset(&block);
  sigaddset(&block, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &block, NULL);
  pthread_kill(pthread_self(), SIGUSR1);
  if (number) raise(SIGUSR2);  // stays pending
  return NULL;
}

int main(void) {
  sigset_t pending;
  stack_t stack;
  PRISTINE(handled == 0 && is_mask_empty());
  for (int sig = 1; sig < 31; sig++) {
    if (sig != SIGPIPE && sig != SIGINT && sig != SIGHUP && sig != SIGQUIT) PRISTINE(is_default(sig));
  }
  sigpending(&pending);
  for (int sig = 1; sig < 31; sig++) PRISTINE(!sigismember(&pending, sig));
  PRISTINE(sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE));
  stack = (stack_t){.ss_sp = stack_memory, .ss_size = sizeof stack_memory};
  MUST(sigaltstack(&stack, NULL) == 0);
  set(SIGUSR1, handler);
  set(SIGUSR2, handler);
  in_threads(2, worker);
  MUST(handled == 2);
  set(SIGSEGV, jump);
  if (sigsetjmp(back, 1) == 0) *(volatile int*)16 = 1;
  if (sigsetjmp(back, 0) == 0) *(volatile int*)16 = 1;  // the mask stays that of the handler
  set(SIGFPE, jump);
  if (sigsetjmp(back, 1) == 0) raise(SIGFPE);
  sigset_t all;
  sigfillset(&all);
  MUST(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
  MUST(kill(getpid(), SIGTERM) == 0);  // never taken
  MUST(kill(getpid(), SIGRTMIN + 3) == 0);
  const int descriptor = signalfd(-1, &all, SFD_NONBLOCK);
  MUST(descriptor >= 0);
  MUST(kill(getpid(), SIGCONT) == 0);
  MUST(raise(SIGUSR2) == 0);
  sigpending(&pending);
  MUST(sigismember(&pending, SIGTERM) && sigismember(&pending, SIGUSR2));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
