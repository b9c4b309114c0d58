// SPDX-License-Identifier: Apache-2.0
// A stack without locks whose nodes are never used again, and a counter of what is on it.
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, EACH = 2 };
static struct node {
  int value;
  struct node* next;
} nodes[THREADS * EACH];
static struct node* _Atomic top;
static atomic_int size, taken;

static void push(struct node* node) {
  struct node* old = atomic_load(&top);
  do {
    node->next = old;
  } while (!atomic_compare_exchange_strong(&top, &old, node));
  atomic_fetch_add(&size, 1);
}
static struct node* pop(void) {
  struct node* old = atomic_load(&top);
  while (old) {
    struct node* next = old->next;
    if (atomic_compare_exchange_strong(&top, &old, next)) {
      atomic_fetch_sub(&size, 1);
      return old;
    }
  }
  return 0;
}
static void* work(void* argument) {
  const long me = (long)argument;
  for (int i = 0; i < EACH; ++i) {
    struct node* mine = &nodes[me * EACH + i];
    mine->value = i + 1;
    push(mine);
  }
  struct node* got = pop();
  if (got) {
    const int value = got->value;
    atomic_fetch_add(&taken, value);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  return atomic_load(&size) != THREADS * EACH - THREADS || atomic_load(&taken) < THREADS;
}
