// fails: misuse unlock-unlocked (some schedules)
// A reader gives up when the table is closed, and unlocks all the same. Shown when it is closed
// first.
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int closed;

static void* look_up(void* arg) {
  if (!atomic_load(&closed)) pthread_rwlock_rdlock(&table);
  pthread_rwlock_unlock(&table);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, look_up, NULL) != 0) return 2;
  atomic_store(&closed, 1);
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
