// fails: abort (some schedules)
// A sleep in place of synchronisation. Shown when the sleeper's time is over before the other
// thread has run at all.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

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
  usleep(100000);  // should be there by now
  pthread_mutex_lock(&mutex);
  assert(connected);
  pthread_mutex_unlock(&mutex);
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
