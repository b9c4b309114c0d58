// fails: never
// unlock_unlocked with take() leaving the mutex unlocked in both cases.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int queued;

static void* produce(void* arg) {
  pthread_mutex_lock(&mutex);
  queued++;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static int take(void) {
  pthread_mutex_lock(&mutex);
  if (queued == 0) {
    pthread_mutex_unlock(&mutex);
    return 0;
  }
  queued--;
  pthread_mutex_unlock(&mutex);
  return 1;
}

static void* consume(void* arg) {
  *(int*)arg = take();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int taken = 0;
  if (pthread_create(&a, NULL, produce, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, consume, &taken) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return queued + taken == 1 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
