// Kernel ids as programs see them: gettid differs between live threads, equals getpid in main,
// getpid is one.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>

#include "../check.h"

enum { kThreads = 6 };

static pid_t tids[kThreads], pids[kThreads];
static pthread_barrier_t all_alive;

static void* body(void* arg) {
  int i = *(int*)arg;
  tids[i] = gettid();
  pids[i] = getpid();
  CHECK_EQ(syscall(SYS_gettid), tids[i]);
  int rc = pthread_barrier_wait(&all_alive);
  CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK_EQ(gettid(), tids[i]);
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  int index[kThreads];
  CHECK_EQ(gettid(), getpid());
  CHECK_RC(pthread_barrier_init(&all_alive, NULL, kThreads), 0);
  for (int i = 0; i < kThreads; i++) {
    index[i] = i;
    CHECK_RC(pthread_create(&t[i], NULL, body, &index[i]), 0);
  }
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  for (int i = 0; i < kThreads; i++) {
    CHECK_EQ(pids[i], getpid());
    CHECK(tids[i] != getpid());
    for (int j = 0; j < i; j++) CHECK(tids[i] != tids[j]);
  }
  return check_passed("thread_ids");
}

// SPDX-License-Identifier: Apache-2.0
