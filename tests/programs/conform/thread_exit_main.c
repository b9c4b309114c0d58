// main leaves by pthread_exit while others go on: they finish, atexit handlers run after the last,
// status is 0.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../check.h"

enum { kThreads = 5 };

static sem_t main_gone;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int finished;
static pthread_key_t key;
static pthread_t main_thread;

static void main_key_destructor(void* value) {
  (void)value;
  for (int i = 0; i < kThreads; i++) CHECK_OK(sem_post(&main_gone));
}

static void* worker(void* arg) {
  (void)arg;
  while (sem_wait(&main_gone) != 0) CHECK_EQ(errno, EINTR);
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  finished++;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

static void* joins_main(void* arg) {
  void* result = NULL;
  CHECK_RC(pthread_join(main_thread, &result), 0);
  CHECK(result == arg);
  return worker(NULL);
}

static void at_exit(void) {
  CHECK_EQ(finished, kThreads);
  check_passed("thread_exit_main");
}

int main(void) {
  static int mark;
  CHECK_OK(sem_init(&main_gone, 0, 0));
  CHECK_RC(atexit(at_exit), 0);
  CHECK_RC(pthread_key_create(&key, main_key_destructor), 0);
  CHECK_RC(pthread_setspecific(key, &mark), 0);
  main_thread = pthread_self();
  pthread_t t;
  for (int i = 0; i < kThreads - 1; i++) {
    CHECK_RC(pthread_create(&t, NULL, worker, NULL), 0);
    CHECK_RC(pthread_detach(t), 0);
  }
  CHECK_RC(pthread_create(&t, NULL, joins_main, &mark), 0);
  pthread_exit(&mark);
}

// SPDX-License-Identifier: Apache-2.0
