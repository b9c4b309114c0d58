// SPDX-License-Identifier: Apache-2.0
// Four accesses of two threads in one order, among many that do not matter.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, noise, stage;

static void* first(void* unused) {
  for (int i = 0; i < 8; ++i) atomic_fetch_add(&noise, 1);
  atomic_store(&a, 1);
  for (int i = 0; i < 8; ++i) atomic_fetch_add(&noise, 1);
  if (atomic_load(&b) == 1) atomic_store(&stage, 1);
  for (int i = 0; i < 8; ++i) atomic_fetch_add(&noise, 1);
  atomic_store(&a, 2);
  return unused;
}
static void* second(void* unused) {
  for (int i = 0; i < 8; ++i) atomic_fetch_add(&noise, 1);
  if (atomic_load(&a) == 1) atomic_store(&b, 1);
  for (int i = 0; i < 8; ++i) atomic_fetch_add(&noise, 1);
  assert(!(atomic_load(&stage) == 1 && atomic_load(&a) == 1));
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
