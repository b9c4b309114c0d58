// fails: never
// lost_wakeup with the state checked in a loop around the wait.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready_cond = PTHREAD_COND_INITIALIZER;
static int result;

static void* compute(void* arg) {
  pthread_mutex_lock(&mutex);
  result = 42;
  pthread_cond_signal(&ready_cond);
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, compute, NULL) != 0) return 2;
  pthread_mutex_lock(&mutex);
  while (result == 0) pthread_cond_wait(&ready_cond, &mutex);
  int got = result;
  pthread_mutex_unlock(&mutex);
  pthread_join(t, NULL);
  return got == 42 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
