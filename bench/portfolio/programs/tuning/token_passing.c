// SPDX-License-Identifier: Apache-2.0
// A token goes round; a watchdog makes a new one when it sees nobody with the token twice in a row. While the token is being handed on nobody
// has it: if that is so at both looks, there are two.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { STATIONS = 3, ROUNDS = 2 };
static atomic_int has_token[STATIONS];
static atomic_int inside, made;

static void* station(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < ROUNDS * STATIONS; ++i) {
    if (!atomic_load(&has_token[me])) continue;
    const int others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&has_token[me], 0);
    atomic_store(&has_token[(me + 1) % STATIONS], 1);
  }
  return 0;
}
static void* watch(void* unused) {
  int missing = 0;
  for (int look = 0; look < 2; ++look) {
    int count = 0;
    for (int i = 0; i < STATIONS; ++i) count += atomic_load(&has_token[i]);
    missing += count == 0;
  }
  if (missing == 2) {
    atomic_store(&has_token[0], 1);
    atomic_store(&made, 1);
  }
  return unused;
}

int main(void) {
  atomic_store(&has_token[0], 1);
  pthread_t threads[STATIONS + 1];
  for (long i = 0; i < STATIONS; ++i) pthread_create(&threads[i], 0, station, (void*)i);
  pthread_create(&threads[STATIONS], 0, watch, 0);
  for (int i = 0; i <= STATIONS; ++i) pthread_join(threads[i], 0);
}
