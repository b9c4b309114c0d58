// fails: never
// rwlock_writer_between without the nested lock.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int items = 3, limit = 10;

static void* count(void* arg) {
  pthread_rwlock_rdlock(&lock);
  int room = limit - items;
  pthread_rwlock_unlock(&lock);
  return room >= 0 ? NULL : arg;
}

static void* add(void* arg) {
  pthread_rwlock_wrlock(&lock);
  items++;
  pthread_rwlock_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t a, b;
  if (pthread_create(&a, NULL, count, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, add, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return items == 4 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
