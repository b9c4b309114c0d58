// fails: misuse use-after-destroy (some schedules)
// The service is shut down while a request may still come. Shown when it comes after the end of its
// mutex.
#include <pthread.h>

static pthread_mutex_t service = PTHREAD_MUTEX_INITIALIZER;

static void* request(void* arg) {
  pthread_mutex_lock(&service);
  pthread_mutex_unlock(&service);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, request, NULL) != 0) return 2;
  if (pthread_mutex_trylock(&service) == 0) {
    pthread_mutex_unlock(&service);
    pthread_mutex_destroy(&service);
  }
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
