// SPDX-License-Identifier: Apache-2.0
// A barrier that is used twice. The last to arrive sets the counter back and wakes the others, who look at the counter, not at a number of the
// round: who is late finds the next round begun, and waits in it for ever.
#include <pthread.h>

enum { THREADS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;

static void barrier(void) {
  pthread_mutex_lock(&lock);
  if (++arrived == THREADS) {
    arrived = 0;
    pthread_cond_broadcast(&all_here);
  } else {
    while (arrived != 0) pthread_cond_wait(&all_here, &lock);
  }
  pthread_mutex_unlock(&lock);
}
static void* work(void* unused) {
  barrier();
  barrier();
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
}
