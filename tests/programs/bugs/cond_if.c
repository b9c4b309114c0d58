// fails: abort (some schedules)
// "if" instead of "while" around a wait. Shown when a third thread takes the item between the
// signal and the woken consumer's return.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int items;

static void* produce(void* arg) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

static void* consume(void* arg) {
  pthread_mutex_lock(&mutex);
  if (items == 0) pthread_cond_wait(&not_empty, &mutex);
  items--;
  assert(items >= 0);
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t p, c[2];
  for (int i = 0; i < 2; i++) {
    if (pthread_create(&c[i], NULL, consume, NULL) != 0) return 2;
  }
  if (pthread_create(&p, NULL, produce, NULL) != 0) return 2;
  for (int i = 0; i < 2; i++) pthread_join(c[i], NULL);
  pthread_join(p, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
