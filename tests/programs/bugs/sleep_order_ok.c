// fails: never
// sleep_order with a join before the use.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int connected;

static void* connect_server(void* arg) {
  pthread_mutex_lock(&mutex);
  connected = 1;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, connect_server, NULL) != 0) return 2;
  pthread_join(t, NULL);
  pthread_mutex_lock(&mutex);
  assert(connected);
  pthread_mutex_unlock(&mutex);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
