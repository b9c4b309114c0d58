// setjmp and longjmp within threads, also out of a signal handler and over instrumented frames;
// ucontext switching.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 30 };

static __thread jmp_buf env;
static __thread sigjmp_buf signal_env;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int jumps;

__attribute__((noinline)) static int dive(int depth) {
  volatile char pad[100];
  pad[0] = (char)depth;
  if (depth < 0) return 0;
  if (depth == 0) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    jumps++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    longjmp(env, 5);
  }
  return dive(depth - 1) + pad[0];
}

static void on_signal(int sig) {
  (void)sig;
  siglongjmp(signal_env, 9);
}

static __thread ucontext_t here, there;
static __thread int coroutine_steps;
static void coroutine(void) {
  for (;;) {
    coroutine_steps++;
    swapcontext(&there, &here);
  }
}

static void* body(void* arg) {
  for (volatile int i = 0; i < kRounds; i++) {
    int code = setjmp(env);
    if (code == 0) dive(10);
    CHECK_EQ(code, 5);
    code = sigsetjmp(signal_env, 1);
    if (code == 0) {
      raise(SIGUSR1);
      CHECK(!"raise returned");
    }
    CHECK_EQ(code, 9);
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    CHECK_EQ(sigismember(&now, SIGUSR1), 0);  // restored by siglongjmp
  }
  char* stack = malloc(64 * 1024);
  CHECK(stack);
  CHECK_OK(getcontext(&there));
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = 64 * 1024;
  there.uc_link = NULL;
  makecontext(&there, coroutine, 0);
  for (int i = 1; i <= 10; i++) {
    CHECK_OK(swapcontext(&here, &there));
    CHECK_EQ(coroutine_steps, i);
  }
  free(stack);
  return arg;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  body(NULL);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(jumps, (kThreads + 1) * kRounds);
  return check_passed("proc_longjmp");
}

// SPDX-License-Identifier: Apache-2.0
