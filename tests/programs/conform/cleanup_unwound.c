// build: -fexceptions
// Cleanup handlers in C with -fexceptions, where they are unwound like destructors: the same orders
// as without.
#include <pthread.h>
#include <semaphore.h>

#include "../check.h"

static char order[64];
static sem_t ready;

static void note(void* arg) {
  size_t n = strlen(order);
  order[n] = *(char*)arg;
  order[n + 1] = 0;
}

static void expect(const char* want) {
  if (strcmp(order, want) != 0) {
    fprintf(stderr, "wanted %s, got %s\n", want, order);
    CHECK(!"order of cleanup handlers");
  }
  order[0] = 0;
}

static void* pops(void* arg) {
  pthread_cleanup_push(note, "a");
  pthread_cleanup_push(note, "b");
  pthread_cleanup_push(note, "c");
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(1);
  return arg;
}

__attribute__((noinline)) static void inner(int how) {
  pthread_cleanup_push(note, "3");
  pthread_cleanup_push(note, "4");
  if (how == 1) pthread_exit(&ready);
  CHECK_OK(sem_post(&ready));
  for (;;) pause();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
}

static void* leaves(void* arg) {
  pthread_cleanup_push(note, "1");
  pthread_cleanup_push(note, "x");
  pthread_cleanup_pop(0);
  pthread_cleanup_push(note, "2");
  inner(*(int*)arg);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* deferred_push(void* arg) {
  pthread_cleanup_push(note, "d");
  int old = -1;
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old), 0);
  CHECK_RC(pthread_cancel(pthread_self()), 0);
  pthread_testcancel();
  note("!");
  pthread_cleanup_pop(0);
  return arg;
}

int main(void) {
  pthread_t t;
  void* result = NULL;
  int how = 1;
  CHECK_OK(sem_init(&ready, 0, 0));
  CHECK_RC(pthread_create(&t, NULL, pops, &how), 0);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == &how);
  expect("ca");

  CHECK_RC(pthread_create(&t, NULL, leaves, &how), 0);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == &ready);
  expect("4321");

  how = 2;
  CHECK_RC(pthread_create(&t, NULL, leaves, &how), 0);
  while (sem_wait(&ready) != 0) CHECK_EQ(errno, EINTR);
  CHECK_RC(pthread_cancel(t), 0);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  expect("4321");

  CHECK_RC(pthread_create(&t, NULL, deferred_push, NULL), 0);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  expect("d");
  return check_passed("cleanup_unwound");
}

// SPDX-License-Identifier: Apache-2.0
