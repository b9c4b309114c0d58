// A signal reaches a thread that is the only one able to run: it loops over lock and unlock, or
// over plain memory, until the handler has set a flag, while all others wait for it.
#include <pthread.h>
#include <signal.h>

#include "../check.h"

// Only instrumented code can be interrupted in a loop without calls.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
enum { kBodies = 2 };
#else
enum { kBodies = 1 };
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t handled;
static int rounds;

static void handler(int sig) {
  (void)sig;
  handled = 1;
}

static void* locks(void* arg) {
  while (!handled) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    rounds++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return arg;
}

static void* computes(void* arg) {
  while (!handled) rounds++;
  return arg;
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  CHECK_RC(sigaction(SIGUSR1, &action, NULL), 0);
  void* (*const bodies[])(void*) = {locks, computes};
  for (int i = 0; i < kBodies; i++) {
    pthread_t t;
    handled = 0;
    CHECK_RC(pthread_create(&t, NULL, bodies[i], NULL), 0);
    // Contended, so that the signal often comes while the thread waits for the mutex.
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    rounds = 0;
    CHECK_RC(pthread_kill(t, SIGUSR1), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_join(t, NULL), 0);
    CHECK(handled);
  }
  return check_passed("signal_alone");
}

// SPDX-License-Identifier: Apache-2.0
