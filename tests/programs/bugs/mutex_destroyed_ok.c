// fails: never
// mutex_destroyed with the requests waited for.
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
  pthread_join(t, NULL);
  pthread_mutex_destroy(&service);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
