// fails: livelock (some schedules)
// The same without any yield or call in the loop, on a C11 atomic. Shown when the producer checks
// before the consumer is there.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int consumer_ready, item;

static void* produce(void* arg) {
  if (atomic_load(&consumer_ready)) atomic_store(&item, 5);
  return arg;
}

static void* consume(void* arg) {
  atomic_store(&consumer_ready, 1);
  while (atomic_load(&item) == 0) {
  }
  return arg;
}

int main(void) {
  pthread_t a, b;
  if (pthread_create(&a, NULL, consume, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, produce, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
