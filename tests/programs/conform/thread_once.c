// pthread_once: the routine runs once however many threads arrive together, and all see its effects
// afterwards.
#include <pthread.h>

#include "../check.h"

enum { kThreads = 12, kControls = 20 };

static pthread_once_t controls[kControls];
static int runs[kControls], results[kControls];  // written inside the routine only
static __thread int current;
static pthread_barrier_t start;

static void initialise(void) {
  runs[current]++;
  results[current] = current * 10;
}

static pthread_once_t outer_once = PTHREAD_ONCE_INIT, inner_once = PTHREAD_ONCE_INIT;
static int outer_runs, inner_runs;
static void inner(void) { inner_runs++; }
static void outer(void) {
  CHECK_RC(pthread_once(&inner_once, inner), 0);
  outer_runs++;
}

static void* body(void* arg) {
  (void)arg;
  int rc = pthread_barrier_wait(&start);
  CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
  for (int i = 0; i < kControls; i++) {
    current = i;
    CHECK_RC(pthread_once(&controls[i], initialise), 0);
    CHECK_EQ(runs[i], 1);
    CHECK_EQ(results[i], i * 10);
  }
  CHECK_RC(pthread_once(&outer_once, outer), 0);
  CHECK_EQ(outer_runs, 1);
  CHECK_EQ(inner_runs, 1);
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  for (int i = 0; i < kControls; i++) controls[i] = (pthread_once_t)PTHREAD_ONCE_INIT;
  CHECK_RC(pthread_barrier_init(&start, NULL, kThreads), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  for (int i = 0; i < kControls; i++) CHECK_EQ(runs[i], 1);
  return check_passed("thread_once");
}

// SPDX-License-Identifier: Apache-2.0
