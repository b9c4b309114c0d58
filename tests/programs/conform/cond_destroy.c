// A condition variable may be destroyed and its memory reused as soon as all waiters have been
// woken, even though they have not yet returned from pthread_cond_wait.
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

enum { kWaiters = 4, kRounds = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static pthread_cond_t* cond;
static int waiting, open_gate;

static void* waiter(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  waiting++;
  CHECK_RC(pthread_cond_signal(&arrived), 0);
  // A single wait: woken means the gate is open, and cond must not be touched again.
  pthread_cond_t* c = cond;
  while (!open_gate) CHECK_RC(pthread_cond_wait(c, &mutex), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

int main(void) {
  for (int round = 0; round < kRounds; round++) {
    pthread_t t[kWaiters];
    cond = malloc(sizeof *cond);
    CHECK(cond);
    CHECK_RC(pthread_cond_init(cond, NULL), 0);
    waiting = open_gate = 0;
    for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_create(&t[i], NULL, waiter, NULL), 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    while (waiting < kWaiters) CHECK_RC(pthread_cond_wait(&arrived, &mutex), 0);
    open_gate = 1;
    CHECK_RC(pthread_cond_broadcast(cond), 0);
    if (round % 2) CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_cond_destroy(cond), 0);
    memset(cond, 0xee, sizeof *cond);
    free(cond);
    if (round % 2 == 0) CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  }
  return check_passed("cond_destroy");
}

// SPDX-License-Identifier: Apache-2.0
