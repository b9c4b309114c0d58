// Strict turn taking of four threads over one condition variable, many rounds; every waiter
// re-checks its predicate.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 50 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn, history[kThreads * kRounds];

static void* body(void* arg) {
  int id = (int)(intptr_t)arg;
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    while (turn % kThreads != id) CHECK_RC(pthread_cond_wait(&cond, &mutex), 0);
    history[turn] = id;
    turn++;
    CHECK_RC(pthread_cond_broadcast(&cond), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  for (intptr_t i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, (void*)i), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(turn, kThreads * kRounds);
  for (int i = 0; i < kThreads * kRounds; i++) CHECK_EQ(history[i], i % kThreads);
  return check_passed("cond_pingpong");
}

// SPDX-License-Identifier: Apache-2.0
