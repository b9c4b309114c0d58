// Barriers: nobody passes before all have arrived, exactly one serial thread per round, many
// rounds, and the serial thread may destroy the barrier at once.
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

enum { kThreads = 5, kRounds = 30 };

static pthread_barrier_t barrier;
static int arrived[kRounds][kThreads];  // ordered by the barrier alone
static int serial[kRounds][kThreads];

static void* body(void* arg) {
  int id = *(int*)arg;
  for (int r = 0; r < kRounds; r++) {
    arrived[r][id] = 1;
    int rc = pthread_barrier_wait(&barrier);
    CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
    serial[r][id] = rc == PTHREAD_BARRIER_SERIAL_THREAD;
    for (int i = 0; i < kThreads; i++) CHECK_EQ(arrived[r][i], 1);
  }
  return NULL;
}

static void* destroy_when_serial(void* arg) {
  pthread_barrier_t* b = arg;
  if (pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD) {
    CHECK_RC(pthread_barrier_destroy(b), 0);
    free(b);
    return arg;
  }
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  int ids[kThreads];
  CHECK_RC(pthread_barrier_init(&barrier, NULL, 0), EINVAL);

  pthread_barrierattr_t a;
  int v = -1;
  CHECK_RC(pthread_barrierattr_init(&a), 0);
  CHECK_RC(pthread_barrierattr_getpshared(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PROCESS_PRIVATE);
  CHECK_RC(pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_barrierattr_getpshared(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PROCESS_SHARED);
  CHECK_RC(pthread_barrierattr_setpshared(&a, 9), EINVAL);
  CHECK_RC(pthread_barrier_init(&barrier, &a, 1), 0);
  CHECK_RC(pthread_barrierattr_destroy(&a), 0);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK_RC(pthread_barrier_destroy(&barrier), 0);

  CHECK_RC(pthread_barrier_init(&barrier, NULL, kThreads), 0);
  for (int i = 0; i < kThreads; i++) {
    ids[i] = i;
    CHECK_RC(pthread_create(&t[i], NULL, body, &ids[i]), 0);
  }
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  for (int r = 0; r < kRounds; r++) {
    int n = 0;
    for (int i = 0; i < kThreads; i++) n += serial[r][i];
    CHECK_EQ(n, 1);
  }
  CHECK_RC(pthread_barrier_destroy(&barrier), 0);

  for (int round = 0; round < 10; round++) {
    pthread_barrier_t* b = malloc(sizeof *b);
    CHECK(b);
    CHECK_RC(pthread_barrier_init(b, NULL, kThreads), 0);
    for (int i = 0; i < kThreads; i++)
      CHECK_RC(pthread_create(&t[i], NULL, destroy_when_serial, b), 0);
    int n = 0;
    for (int i = 0; i < kThreads; i++) {
      void* result = NULL;
      CHECK_RC(pthread_join(t[i], &result), 0);
      n += result != NULL;
    }
    CHECK_EQ(n, 1);
  }
  return check_passed("barrier_rounds");
}

// SPDX-License-Identifier: Apache-2.0
