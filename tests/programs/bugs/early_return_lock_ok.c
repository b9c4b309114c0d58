// fails: never
// early_return_lock with the mutex released on both ways out.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void* insert(void* arg) {
  pthread_mutex_lock(&mutex);
  entries++;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static int lookup(void) {
  pthread_mutex_lock(&mutex);
  if (entries == 0) {
    pthread_mutex_unlock(&mutex);
    return -1;
  }
  int found = entries;
  pthread_mutex_unlock(&mutex);
  return found;
}

static void* find(void* arg) {
  *(int*)arg = lookup();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int found = 0;
  if (pthread_create(&a, NULL, insert, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, find, &found) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return found != 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
