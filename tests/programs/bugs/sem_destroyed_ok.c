// fails: never
// sem_destroyed with the worker waited for.
#include <pthread.h>
#include <semaphore.h>

static sem_t work_to_do;

static void* work(void* arg) {
  sem_wait(&work_to_do);
  return arg;
}

int main(void) {
  pthread_t t;
  sem_init(&work_to_do, 0, 0);
  if (pthread_create(&t, NULL, work, NULL) != 0) return 2;
  sem_post(&work_to_do);
  pthread_join(t, NULL);
  sem_destroy(&work_to_do);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
