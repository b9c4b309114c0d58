// fails: never
// sem_deadlock with the two taken together, under a mutex.
#include <pthread.h>
#include <semaphore.h>

static sem_t buffers;
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

static void* copy(void* arg) {
  pthread_mutex_lock(&taking);
  sem_wait(&buffers);  // input
  sem_wait(&buffers);  // output
  pthread_mutex_unlock(&taking);
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
