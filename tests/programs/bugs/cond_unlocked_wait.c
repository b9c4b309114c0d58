// fails: misuse wait-without-mutex (some schedules)
// The mutex is only taken when there seems to be work at once. Shown when there is none: the wait is
// done without it.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void* work(void* arg) {
  int locked = 0;
  if (atomic_load(&ready)) locked = pthread_mutex_lock(&mutex) == 0;
  while (!atomic_load(&ready)) pthread_cond_wait(&changed, &mutex);
  if (locked) pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, work, NULL) != 0) return 2;
  pthread_mutex_lock(&mutex);
  atomic_store(&ready, 1);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
