// Three threads draw numbers; two may draw the same one.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next;
static atomic_bool taken[3];

static void* draw(void* arg) {
  const int number = atomic_load(&next);
  atomic_store(&next, number + 1);
  assert(!atomic_exchange(&taken[number], 1));
  return arg;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, draw, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
