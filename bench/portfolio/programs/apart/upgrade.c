// SPDX-License-Identifier: Apache-2.0
// A lock for readers that can become writers: two that want to at once wait for each other. Only every fourth item makes somebody want to.
#include <pthread.h>

enum { THREADS = 3, ITEMS = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, sum;

static void begin_read(void) {
  pthread_mutex_lock(&lock);
  ++readers;
  pthread_mutex_unlock(&lock);
}
static void end_read(void) {
  pthread_mutex_lock(&lock);
  --readers;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
static void* visit(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < ITEMS; ++i) {
    begin_read();
    if (i == 3 - me) {
      pthread_mutex_lock(&lock);
      while (readers > 1) pthread_cond_wait(&changed, &lock);
      ++sum;
      pthread_mutex_unlock(&lock);
    }
    end_read();
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, visit, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
}
