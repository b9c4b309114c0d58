// fails: misuse destroy-held (some schedules)
// The object is torn down when its counter says so, but the last user is still inside the critical
// section. Shown when main destroys the mutex between the worker's store and its unlock.
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
  pthread_mutex_destroy(&mutex);
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
