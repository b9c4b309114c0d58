// One condition variable for those who put and those who take, and signal instead of broadcast: a
// signal that was for the other kind is lost, and who sent it waits as well.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_full;

static void wait_until(int full) {
  while (is_full != full) pthread_cond_wait(&changed, &mutex);
}

static void* worker(void* arg) {
  const int takes = *(const int*)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&mutex);
    wait_until(takes);
    is_full = !takes;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  static int takes[] = {1, 1, 0, 0};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, worker, &takes[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
