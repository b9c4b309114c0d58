// fails: never
// append_overflow with the index taken first and then checked.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { kRoom = 4 };

static long* items;
static atomic_int used = kRoom - 1;

static void* append(void* arg) {
  int index = atomic_fetch_add(&used, 1);
  if (index < kRoom) items[index] = 77;
  return arg;
}

int main(void) {
  pthread_t a, b;
  items = malloc(kRoom * sizeof *items);
  if (!items) return 2;
  if (pthread_create(&a, NULL, append, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, append, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(items);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
