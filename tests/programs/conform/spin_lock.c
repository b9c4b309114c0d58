// Spin locks: exclusion, EBUSY from trylock, no starvation of the owner by spinning waiters.
#include <pthread.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 100 };

static pthread_spinlock_t lock;
static int counter;

static void* add(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_spin_lock(&lock), 0);
    counter++;
    CHECK_RC(pthread_spin_unlock(&lock), 0);
  }
  return NULL;
}

static void* try_held(void* arg) {
  (void)arg;
  CHECK_RC(pthread_spin_trylock(&lock), EBUSY);
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  CHECK_RC(pthread_spin_init(&lock, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_spin_destroy(&lock), 0);
  CHECK_RC(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), 0);
  CHECK_RC(pthread_spin_trylock(&lock), 0);
  CHECK_RC(pthread_spin_trylock(&lock), EBUSY);
  CHECK_RC(pthread_create(&t[0], NULL, try_held, NULL), 0);
  CHECK_RC(pthread_join(t[0], NULL), 0);
  CHECK_RC(pthread_spin_unlock(&lock), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, add, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(counter, kThreads * kRounds);
  CHECK_RC(pthread_spin_destroy(&lock), 0);
  return check_passed("spin_lock");
}

// SPDX-License-Identifier: Apache-2.0
