// fails: never
// unlock_other with a semaphore, which is meant for this.
#include <pthread.h>
#include <semaphore.h>

static sem_t filled;

static void* fill(void* arg) {
  *(int*)arg = 5;
  sem_post(&filled);
  return NULL;
}

int main(void) {
  pthread_t t;
  int cell = 0;
  sem_init(&filled, 0, 0);
  if (pthread_create(&t, NULL, fill, &cell) != 0) return 2;
  sem_wait(&filled);
  pthread_join(t, NULL);
  return cell == 5 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
