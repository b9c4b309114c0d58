// A bounded buffer with two producers and two consumers, who come again when there is no room or
// nothing to take.
//
// Wrong: whether there is room is asked in one critical section, and the item is put in in another.
// Likewise for taking.
// Shown when: two producers (or two consumers) ask before either of them acts.
// Failure: assert.
// From: SV-COMP "bounded_buffer"; "bounded_buffer" of Taming pthreads.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum { kCapacity = 2, kProducers = 2, kConsumers = 2, kItemsEach = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[kCapacity];
static int used;

static bool try_put(int item) {
  pthread_mutex_lock(&lock);
  const bool has_room = used < kCapacity;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  if (!has_room) return false;
  pthread_mutex_lock(&lock);
#endif
  if (has_room) {
    assert(used < kCapacity);
    buffer[used++] = item;
  }
  pthread_mutex_unlock(&lock);
  return has_room;
}

static bool try_get(int* item) {
  pthread_mutex_lock(&lock);
  const bool has_item = used > 0;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  if (!has_item) return false;
  pthread_mutex_lock(&lock);
#endif
  if (has_item) {
    assert(used > 0);
    *item = buffer[--used];
  }
  pthread_mutex_unlock(&lock);
  return has_item;
}

static void* produce(void* arg) {
  for (int i = 1; i <= kItemsEach; i++) {
    while (!try_put(i)) sched_yield();
  }
  return arg;
}

static void* consume(void* arg) {
  int* sum = arg;
  for (int i = 0; i < kItemsEach; i++) {
    int item = 0;
    while (!try_get(&item)) sched_yield();
    *sum += item;
  }
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
