// SPDX-License-Identifier: Apache-2.0
// A registry behind a lock for readers and a writer, with a generation that tells readers to look again.
#include <pthread.h>
#include <stdatomic.h>

enum { NAMES = 3, READERS = 3 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int values[NAMES];
static atomic_int generation, seen;

static void set(int name, int value) {
  pthread_rwlock_wrlock(&lock);
  values[name] = value;
  atomic_fetch_add(&generation, 1);
  pthread_rwlock_unlock(&lock);
}
static int get(int name) {
  pthread_rwlock_rdlock(&lock);
  const int value = values[name];
  pthread_rwlock_unlock(&lock);
  return value;
}
static void* write_names(void* unused) {
  for (int i = 0; i < NAMES; ++i) {
    const int value = 10 * (i + 1);
    set(i, value);
  }
  return unused;
}
static void* read_names(void* unused) {
  int last = -1;
  for (int i = 0; i < 3; ++i) {
    const int now = atomic_load(&generation);
    if (now != last) {
      int sum = 0;
      for (int name = 0; name < NAMES; ++name) {
        const int value = get(name);
        sum += value;
      }
      atomic_fetch_add(&seen, sum != 0);
      last = now;
    }
  }
  return unused;
}

int main(void) {
  pthread_t threads[READERS + 1];
  pthread_create(&threads[READERS], 0, write_names, 0);
  for (int i = 0; i < READERS; ++i) pthread_create(&threads[i], 0, read_names, 0);
  for (int i = 0; i <= READERS; ++i) pthread_join(threads[i], 0);
  return atomic_load(&generation) != NAMES;
}
