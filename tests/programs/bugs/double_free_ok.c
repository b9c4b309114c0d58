// fails: never
// double_free with check and release under a mutex.
#include <pthread.h>
#include <stdlib.h>

static char* buffer;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* release(void* arg) {
  pthread_mutex_lock(&mutex);
  if (buffer != NULL) {
    free(buffer);
    buffer = NULL;
  }
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t a, b;
  buffer = malloc(100);
  if (pthread_create(&a, NULL, release, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, release, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return buffer == NULL ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
