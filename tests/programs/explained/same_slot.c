// Two threads take the same slot of an array. That main has filled it with zeros is not the reason.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int* slots;
static int next_slot;

static void* fill(void* unused) {
  const int mine = __atomic_load_n(&next_slot, __ATOMIC_SEQ_CST);
  __atomic_store_n(&next_slot, mine + 1, __ATOMIC_SEQ_CST);
  slots[mine] += 1;
  return unused;
}

int main(void) {
  slots = malloc(2 * sizeof *slots);
  for (int i = 0; i < 2; i++) slots[i] = 0;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fill, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (int i = 1; i >= 0; i--) assert(slots[i] == 1);
  free(slots);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
