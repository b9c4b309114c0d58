// fails: never
// As spurious_wakeup, but the flag is looked at again after every wait.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

static void* visitor(void* arg) {
  pthread_mutex_lock(&mutex);
  while (!is_open) pthread_cond_wait(&opened, &mutex);
  assert(is_open);
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, visitor, NULL) != 0) return 2;
  pthread_mutex_lock(&mutex);
  is_open = 1;
  pthread_cond_signal(&opened);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
