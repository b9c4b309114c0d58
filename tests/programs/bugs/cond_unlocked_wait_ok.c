// fails: never
// cond_unlocked_wait with the mutex always taken.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void* work(void* arg) {
  pthread_mutex_lock(&mutex);
  while (!atomic_load(&ready)) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
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
