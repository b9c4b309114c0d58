// SPDX-License-Identifier: Apache-2.0
// Reclamation by epochs. A reader says in which epoch it is only after it has read the pointer: in between the writer may replace the
// object, see nobody in the old epoch, and take the object apart.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { READERS = 2, OBJECTS = 3 };
static struct {
  atomic_int alive;
} objects[OBJECTS];
static atomic_int current_object, epoch = 1;
static atomic_int announced[READERS];

static void* read_object(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < 3; ++i) {
    const int index = atomic_load(&current_object);
    atomic_store(&announced[me], atomic_load(&epoch));
    if (atomic_load(&current_object) == index) {
      // Still the current one: safe.
      assert(1);
    } else if (atomic_load(&announced[1 - me]) == 0) {
      assert(atomic_load(&objects[index].alive));
    }
    atomic_store(&announced[me], 0);
  }
  return 0;
}
static void* replace_object(void* unused) {
  for (int i = 1; i < OBJECTS; ++i) {
    atomic_store(&objects[i].alive, 1);
    const int old = atomic_exchange(&current_object, i);
    const int now = atomic_fetch_add(&epoch, 1) + 1;
    int waited = 0;
    for (int r = 0; r < READERS; ++r) {
      const int seen = atomic_load(&announced[r]);
      if (seen != 0 && seen < now) waited = 1;
    }
    if (!waited) atomic_store(&objects[old].alive, 0);
  }
  return unused;
}

int main(void) {
  atomic_store(&objects[0].alive, 1);
  pthread_t threads[READERS + 1];
  for (long i = 0; i < READERS; ++i) pthread_create(&threads[i], 0, read_object, (void*)i);
  pthread_create(&threads[READERS], 0, replace_object, 0);
  for (int i = 0; i <= READERS; ++i) pthread_join(threads[i], 0);
}
