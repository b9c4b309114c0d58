// A thread that ends holding a hundred robust mutexes, and others among them, leaves each of them
// to its next locker.
#include <pthread.h>

#include "../check.h"

enum { kMutexes = 100 };

static pthread_mutex_t robust[kMutexes], ordinary[kMutexes];

static void* die_holding_all(void* arg) {
  for (int i = 0; i < kMutexes; i++) {
    CHECK_RC(pthread_mutex_lock(&robust[i]), 0);
    CHECK_RC(pthread_mutex_lock(&ordinary[i]), 0);
  }
  // In the order they were taken: the oldest first.
  for (int i = 0; i < kMutexes; i++) CHECK_RC(pthread_mutex_unlock(&ordinary[i]), 0);
  for (int i = 0; i < kMutexes; i += 10) CHECK_RC(pthread_mutex_unlock(&robust[i]), 0);
  return arg;
}

int main(void) {
  pthread_mutexattr_t a;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  CHECK_RC(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST), 0);
  for (int i = 0; i < kMutexes; i++) {
    CHECK_RC(pthread_mutex_init(&robust[i], &a), 0);
    CHECK_RC(pthread_mutex_init(&ordinary[i], NULL), 0);
  }
  for (int round = 0; round < 3; round++) {
    pthread_t t;
    CHECK_RC(pthread_create(&t, NULL, die_holding_all, NULL), 0);
    CHECK_RC(pthread_join(t, NULL), 0);
    for (int i = 0; i < kMutexes; i++) {
      CHECK_RC(pthread_mutex_lock(&robust[i]), i % 10 == 0 ? 0 : EOWNERDEAD);
      if (i % 10 != 0) CHECK_RC(pthread_mutex_consistent(&robust[i]), 0);
      CHECK_RC(pthread_mutex_unlock(&robust[i]), 0);
      CHECK_RC(pthread_mutex_lock(&ordinary[i]), 0);
      CHECK_RC(pthread_mutex_unlock(&ordinary[i]), 0);
    }
  }
  return check_passed("mutex_robust_many");
}

// SPDX-License-Identifier: Apache-2.0
