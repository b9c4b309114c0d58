// fails: deadlock (always)
// A cache asks for the write lock while it still holds the read lock: it waits for all readers to
// leave, itself among them. In every schedule, as the first look-up always misses.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached, value;

static void* lookup(void* arg) {
  pthread_rwlock_rdlock(&lock);
  if (!cached) {
    pthread_rwlock_wrlock(&lock);
    value = 42;
    cached = 1;
    pthread_rwlock_unlock(&lock);
  }
  *(int*)arg = value;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int x = 0, y = 0;
  if (pthread_create(&a, NULL, lookup, &x) != 0) return 2;
  if (pthread_create(&b, NULL, lookup, &y) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return x == 42 && y == 42 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
