// Asynchronous cancellation ends a thread that is the only one able to run and never comes to a
// cancellation point.
#include <pthread.h>

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
static pthread_barrier_t started;
static volatile int rounds;

// Holds the mutex only while cancellation is off: it is never left locked.
static void* locks(void* arg) {
  int old;
  CHECK(pthread_barrier_wait(&started) <= 0);
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old), 0);
  for (;;) {
    CHECK_RC(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    rounds++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old), 0);
  }
  return arg;
}

static void* computes(void* arg) {
  int old;
  CHECK(pthread_barrier_wait(&started) <= 0);
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old), 0);
  for (;;) rounds++;
  return arg;
}

int main(void) {
  CHECK_RC(pthread_barrier_init(&started, NULL, 2), 0);
  void* (*const bodies[])(void*) = {locks, computes};
  for (int i = 0; i < kBodies; i++) {
    pthread_t t;
    void* result = NULL;
    CHECK_RC(pthread_create(&t, NULL, bodies[i], NULL), 0);
    CHECK(pthread_barrier_wait(&started) <= 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    CHECK_RC(pthread_cancel(t), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_join(t, &result), 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK_RC(pthread_mutex_trylock(&mutex), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return check_passed("cancel_asynchronous_alone");
}

// SPDX-License-Identifier: Apache-2.0
