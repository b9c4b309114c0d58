// Thread-specific data: NULL in a new thread, destructors with the value at exit (by return,
// pthread_exit, cancel), again while they set values, at most PTHREAD_DESTRUCTOR_ITERATIONS times,
// never for NULL or a deleted key.
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

static pthread_key_t plain, stubborn, helper, deleted, null_value;
static int plain_runs, stubborn_runs, helper_runs, wrong_runs;  // ordered by join

static void plain_gone(void* value) {
  CHECK(pthread_getspecific(plain) == NULL);  // reset before the call
  plain_runs += (int)(intptr_t)value;
}
static void stubborn_gone(void* value) {
  stubborn_runs++;
  CHECK_RC(pthread_setspecific(stubborn, value), 0);  // never lets go
  if (stubborn_runs == 2) CHECK_RC(pthread_setspecific(helper, value), 0);
}
static void helper_gone(void* value) {
  (void)value;
  helper_runs++;
}
static void wrong(void* value) {
  (void)value;
  wrong_runs++;
}

static void* by_return(void* arg) {
  CHECK(pthread_getspecific(plain) == NULL);
  CHECK_RC(pthread_setspecific(plain, arg), 0);
  CHECK(pthread_getspecific(plain) == arg);
  CHECK_RC(pthread_setspecific(null_value, arg), 0);
  CHECK_RC(pthread_setspecific(null_value, NULL), 0);
  return NULL;
}
static void* by_exit(void* arg) {
  by_return(arg);
  pthread_exit(NULL);
}
static void* by_cancel(void* arg) {
  by_return(arg);
  CHECK_RC(pthread_cancel(pthread_self()), 0);
  for (;;) pthread_testcancel();
}
static void* never_lets_go(void* arg) {
  CHECK_RC(pthread_setspecific(stubborn, arg), 0);
  return NULL;
}
static void* sets_deleted(void* arg) {
  CHECK_RC(pthread_setspecific(deleted, arg), 0);
  CHECK_RC(pthread_key_delete(deleted), 0);
  CHECK_RC(pthread_key_delete(deleted), EINVAL);
  CHECK_RC(pthread_setspecific(deleted, arg), EINVAL);
  return NULL;
}

static void run(void* (*body)(void*), intptr_t arg) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, body, (void*)arg), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
}

int main(void) {
  CHECK_RC(pthread_key_create(&plain, plain_gone), 0);
  CHECK_RC(pthread_key_create(&stubborn, stubborn_gone), 0);
  CHECK_RC(pthread_key_create(&helper, helper_gone), 0);
  CHECK_RC(pthread_key_create(&deleted, wrong), 0);
  CHECK_RC(pthread_key_create(&null_value, wrong), 0);

  CHECK_RC(pthread_setspecific(plain, &plain_runs), 0);
  run(by_return, 1);
  CHECK_EQ(plain_runs, 1);
  run(by_exit, 10);
  CHECK_EQ(plain_runs, 11);
  run(by_cancel, 100);
  CHECK_EQ(plain_runs, 111);
  CHECK(pthread_getspecific(plain) == &plain_runs);  // main's own is untouched

  run(never_lets_go, 5);
  CHECK_EQ(stubborn_runs, PTHREAD_DESTRUCTOR_ITERATIONS);
  CHECK_EQ(helper_runs, 1);

  run(sets_deleted, 7);
  CHECK_EQ(wrong_runs, 0);

  // Values do not leak into later threads that reuse the same memory.
  for (int i = 0; i < 50; i++) run(by_return, 1);
  CHECK_EQ(plain_runs, 161);

  // Several threads at once, each with its own value.
  pthread_t t[8];
  for (intptr_t i = 0; i < 8; i++) {
    CHECK_RC(pthread_create(&t[i], NULL, by_return, (void*)1000), 0);
    CHECK_RC(pthread_join(t[i], NULL), 0);
  }
  CHECK_EQ(plain_runs, 8161);
  return check_passed("key_destructors");
}

// SPDX-License-Identifier: Apache-2.0
