// fails: deadlock (some schedules)
// Each job needs two of three buffers and takes them one by one. Shown when all three jobs hold one
// each.
#include <pthread.h>
#include <semaphore.h>

static sem_t buffers;

static void* copy(void* arg) {
  sem_wait(&buffers);  // input
  sem_wait(&buffers);  // output
  sem_post(&buffers);
  sem_post(&buffers);
  return arg;
}

int main(void) {
  pthread_t t[3];
  sem_init(&buffers, 0, 3);
  for (int i = 0; i < 3; i++) {
    if (pthread_create(&t[i], NULL, copy, NULL) != 0) return 2;
  }
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  sem_destroy(&buffers);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
