// SPDX-License-Identifier: Apache-2.0
// A ring with two producers: a place is claimed at once but filled later, and the consumer goes by the claim. It reads what was there
// a round ago.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { PLACES = 4, ITEMS = 3 };
static atomic_int places[PLACES], head, tail;

static void* produce(void* argument) {
  for (int i = 0; i < ITEMS; ++i) {
    int claimed = atomic_load(&tail);
    do {
      if (claimed - atomic_load(&head) >= PLACES) return 0;
    } while (!atomic_compare_exchange_weak(&tail, &claimed, claimed + 1));
    atomic_store(&places[claimed % PLACES], (int)(long)argument + claimed + 1);
  }
  return 0;
}
static void* consume(void* unused) {
  int misses = 0;
  while (misses < 4) {
    const int at = atomic_load(&head);
    if (at == atomic_load(&tail)) {
      ++misses;
      sched_yield();
      continue;
    }
    const int item = atomic_load(&places[at % PLACES]);
    // Only from the second round on: the first finds an empty place, which it takes for not yet there.
    if (item == 0) {
      ++misses;
      sched_yield();
      continue;
    }
    assert(item % 100 == at + 1);
    atomic_store(&head, at + 1);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, produce, (void*)100L);
  pthread_create(&threads[1], 0, produce, (void*)200L);
  pthread_create(&threads[2], 0, consume, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
