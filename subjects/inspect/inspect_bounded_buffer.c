// A bounded buffer with condition variables: two producers, two consumers.
//
// Wrong: `if` instead of `while` before the wait: a thread that was woken does not look again.
// Shown when: between the signal and the moment the woken thread has the lock again, another thread
// of its kind comes and takes the item (or the room) that the signal was about.
// Failure: assert.
// From: "Inspect/boundedBuffer" of SCTBench and the reads-from fuzzer paper.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kCapacity = 1, kProducers = 2, kConsumers = 2, kItemsEach = 3 };

#ifdef FIXED
#define WAIT_IF while
#else
#define WAIT_IF if
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int buffer[kCapacity];
static int used;

static void put(int item) {
  pthread_mutex_lock(&lock);
  WAIT_IF(used == kCapacity) pthread_cond_wait(&not_full, &lock);
  assert(used < kCapacity);
  buffer[used++] = item;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
}

static int get(void) {
  pthread_mutex_lock(&lock);
  WAIT_IF(used == 0) pthread_cond_wait(&not_empty, &lock);
  assert(used > 0);
  const int item = buffer[--used];
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&lock);
  return item;
}

static void* produce(void* arg) {
  for (int i = 1; i <= kItemsEach; i++) put(i);
  return arg;
}

static void* consume(void* arg) {
  int* sum = arg;
  for (int i = 0; i < kItemsEach; i++) *sum += get();
  return NULL;
}

int main(void) {
  pthread_t producers[kProducers], consumers[kConsumers];
  int sums[kConsumers] = {0};
  for (int i = 0; i < kProducers; i++) pthread_create(&producers[i], NULL, produce, NULL);
  for (int i = 0; i < kConsumers; i++) pthread_create(&consumers[i], NULL, consume, &sums[i]);
  for (int i = 0; i < kProducers; i++) pthread_join(producers[i], NULL);
  for (int i = 0; i < kConsumers; i++) pthread_join(consumers[i], NULL);
  assert(sums[0] + sums[1] == kProducers * (1 + 2 + 3));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
