// fails: never
// destroy_held with the worker joined first.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void* work(void* arg) {
  pthread_mutex_lock(&mutex);
  atomic_store(&done, 1);
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, work, NULL) != 0) return 2;
  while (!atomic_load(&done)) sched_yield();
  pthread_join(t, NULL);
  pthread_mutex_destroy(&mutex);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
