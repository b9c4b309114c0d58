// SPDX-License-Identifier: Apache-2.0
// A stack without locks whose nodes are used again: between the look at the top's successor and the exchange the top is taken, its successor too,
// and the top put back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NODES = 3 };
static atomic_int top = 1, next_of[NODES + 1], owned[NODES + 1];

static int pop(void) {
  for (int tries = 0; tries < 3; ++tries) {
    int node = atomic_load(&top);
    if (node == 0) return 0;
    const int next = atomic_load(&next_of[node]);
    if (atomic_compare_exchange_strong(&top, &node, next)) {
      assert(atomic_fetch_add(&owned[node], 1) == 0);
      return node;
    }
  }
  return 0;
}
static void push(int node) {
  atomic_fetch_sub(&owned[node], 1);
  for (int tries = 0; tries < 3; ++tries) {
    int old = atomic_load(&top);
    atomic_store(&next_of[node], old);
    if (atomic_compare_exchange_strong(&top, &old, node)) return;
  }
}
static void* one(void* unused) {
  pop();
  pop();
  return unused;
}
static void* two(void* unused) {
  const int first = pop();
  const int second = pop();
  if (first) push(first);
  (void)second;
  return unused;
}

int main(void) {
  for (int i = 1; i < NODES; ++i) atomic_store(&next_of[i], i + 1);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
