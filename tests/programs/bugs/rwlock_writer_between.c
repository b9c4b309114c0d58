// fails: deadlock (some schedules)
// A reader locks again in a nested call; the lock prefers writers. Shown when a writer queues up
// between the two: the second read lock waits for the writer, the writer for the first.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int items = 3, limit = 10;

static int get_limit(void) {
  pthread_rwlock_rdlock(&lock);
  int l = limit;
  pthread_rwlock_unlock(&lock);
  return l;
}

static void* count(void* arg) {
  pthread_rwlock_rdlock(&lock);
  int room = get_limit() - items;
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
