// Cancel state and type: disabled holds a request back, enabling does not act by itself when
// deferred, calls that are no cancellation points ignore it; old values and EINVAL.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

#include "../check.h"

static sem_t ready, cancelled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t pair;
static int progress;

static void wait_sem(sem_t* s) {
  while (sem_wait(s) != 0) CHECK_EQ(errno, EINTR);
}

static void* disabled(void* arg) {
  int old = -1;
  CHECK_RC(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), 0);
  CHECK_EQ(old, PTHREAD_CANCEL_ENABLE);
  CHECK_OK(sem_post(&ready));
  wait_sem(&cancelled);  // a cancellation point, but disabled
  pthread_testcancel();
  usleep(1000);
  progress = 1;
  CHECK_RC(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old), 0);
  CHECK_EQ(old, PTHREAD_CANCEL_DISABLE);
  progress = 2;  // deferred: enabling is no cancellation point
  pthread_testcancel();
  progress = 3;
  return arg;
}

// Mutexes and barriers are no cancellation points.
static void* not_points(void* arg) {
  CHECK_OK(sem_post(&ready));
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  int rc = pthread_barrier_wait(&pair);
  CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
  progress = 10;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  pthread_testcancel();
  progress = 11;
  return arg;
}

static void* types(void* arg) {
  int old = -1;
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old), 0);
  CHECK_EQ(old, PTHREAD_CANCEL_DEFERRED);
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old), 0);
  CHECK_EQ(old, PTHREAD_CANCEL_ASYNCHRONOUS);
  CHECK_RC(pthread_setcanceltype(77, &old), EINVAL);
  CHECK_RC(pthread_setcancelstate(77, &old), EINVAL);
  CHECK_RC(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL), 0);
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL), 0);
  return arg;
}

static void* cancel_before_start(void* arg) {
  pthread_testcancel();
  return arg;
}

static void* asynchronous_self(void* arg) {
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
  CHECK_RC(pthread_cancel(pthread_self()),
           0);  // acts here, or at the next cancellation point at the latest
  for (;;) pause();
  return arg;
}

static void cancel_and_join(pthread_t t, sem_t* then) {
  void* result = NULL;
  CHECK_RC(pthread_cancel(t), 0);
  if (then) CHECK_OK(sem_post(then));
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
}

int main(void) {
  pthread_t t;
  void* result = NULL;
  CHECK_OK(sem_init(&ready, 0, 0));
  CHECK_OK(sem_init(&cancelled, 0, 0));
  CHECK_RC(pthread_barrier_init(&pair, NULL, 2), 0);

  CHECK_RC(pthread_create(&t, NULL, disabled, &ready), 0);
  wait_sem(&ready);
  cancel_and_join(t, &cancelled);
  CHECK_EQ(progress, 2);

  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_RC(pthread_create(&t, NULL, not_points, &ready), 0);
  wait_sem(&ready);
  CHECK_RC(pthread_cancel(t), 0);
  CHECK_RC(pthread_cancel(t), 0);  // twice is once
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  int rc = pthread_barrier_wait(&pair);
  CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK_EQ(progress, 10);

  CHECK_RC(pthread_create(&t, NULL, types, &ready), 0);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == &ready);

  // Cancelled at any moment from before its first instruction to after its end (not yet joined).
  for (int i = 0; i < 30; i++) {
    CHECK_RC(pthread_create(&t, NULL, cancel_before_start, &ready), 0);
    CHECK_RC(pthread_cancel(t), 0);
    CHECK_RC(pthread_join(t, &result), 0);
    CHECK(result == PTHREAD_CANCELED || result == &ready);
  }

  CHECK_RC(pthread_create(&t, NULL, asynchronous_self, &ready), 0);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  return check_passed("cancel_state");
}

// SPDX-License-Identifier: Apache-2.0
