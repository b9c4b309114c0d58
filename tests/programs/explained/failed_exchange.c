// A compare-exchange that fails has written nothing.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;

static void* visit(void* unused) {
  atomic_store(&owner, 1);
  atomic_store(&owner, 0);
  return unused;
}

static void* claim(void* unused) {
  int nobody = 0;
  const int mine = atomic_compare_exchange_strong(&owner, &nobody, 2);
  assert(mine);
  atomic_store(&owner, 0);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, visit, NULL);
  pthread_create(&threads[1], NULL, claim, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
