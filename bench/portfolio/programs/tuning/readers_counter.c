// SPDX-License-Identifier: Apache-2.0
// Readers and writers by a counter of readers. The last reader to go looks at the counter after it has given its lock back: a reader
// that came in between is taken for none, and the writer comes in beside it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, resource_taken;
static int left_side, right_side;

static void begin_read(void) {
  pthread_mutex_lock(&counter_lock);
  ++readers;
  while (readers == 1 && resource_taken) pthread_cond_wait(&changed, &counter_lock);
  resource_taken = 1;
  pthread_mutex_unlock(&counter_lock);
}
static void end_read(void) {
  pthread_mutex_lock(&counter_lock);
  const int left = --readers;
  pthread_mutex_unlock(&counter_lock);
  if (left == 0) {
    pthread_mutex_lock(&counter_lock);
    resource_taken = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&counter_lock);
  }
}
static void* read_both(void* unused) {
  for (int i = 0; i < 2; ++i) {
    begin_read();
    const int left = left_side;
    assert(left == right_side);
    end_read();
  }
  return unused;
}
static void* write_both(void* unused) {
  pthread_mutex_lock(&counter_lock);
  while (resource_taken) pthread_cond_wait(&changed, &counter_lock);
  resource_taken = 1;
  pthread_mutex_unlock(&counter_lock);
  ++left_side;
  ++right_side;
  pthread_mutex_lock(&counter_lock);
  resource_taken = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&counter_lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, read_both, 0);
  pthread_create(&threads[1], 0, write_both, 0);
  pthread_create(&threads[2], 0, read_both, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
