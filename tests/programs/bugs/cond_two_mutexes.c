// fails: misuse cond-two-mutexes (some schedules)
// Two queues share a condition variable, but each has a mutex of its own. Shown when a thread waits
// at each at the same time.
#include <pthread.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled[2];

static void* take(void* arg) {
  int i = *(int*)arg;
  pthread_mutex_lock(&mutexes[i]);
  while (!filled[i]) pthread_cond_wait(&changed, &mutexes[i]);
  pthread_mutex_unlock(&mutexes[i]);
  return NULL;
}

int main(void) {
  pthread_t t[2];
  int numbers[2] = {0, 1};
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&t[i], NULL, take, &numbers[i]) != 0) return 2;
  }
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutexes[i]);
    filled[i] = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutexes[i]);
  }
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
