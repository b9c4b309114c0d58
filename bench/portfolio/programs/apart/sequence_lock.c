// SPDX-License-Identifier: Apache-2.0
// A sequence lock for one writer, used by two: both take the same number, and the first to finish makes it even while the other still writes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence, left, right;

static void* write_pair(void* argument) {
  const int value = (int)(long)argument;
  for (int i = 0; i < 2; ++i) {
    const int now = atomic_load(&sequence);
    if (now & 1) continue;
    atomic_store(&sequence, now + 1);
    atomic_store(&left, value + i);
    atomic_store(&right, value + i);
    atomic_store(&sequence, now + 2);
  }
  return 0;
}
static void* read_pair(void* unused) {
  for (int i = 0; i < 2; ++i) {
    const int before = atomic_load(&sequence);
    const int l = atomic_load(&left);
    const int r = atomic_load(&right);
    if ((before & 1) || atomic_load(&sequence) != before) continue;
    assert(l == r);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, read_pair, 0);
  pthread_create(&threads[1], 0, write_pair, (void*)10L);
  pthread_create(&threads[2], 0, write_pair, (void*)20L);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
