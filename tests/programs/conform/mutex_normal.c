// A normal mutex: excludes, blocks until unlocked, trylock is EBUSY for everyone (the owner too)
// while held.
#include <pthread.h>
#include <sched.h>

#include "../check.h"

enum { kThreads = 5, kRounds = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter, inside, stage;

static void* add(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    if (i % 3 == 0) {
      int rc;
      while ((rc = pthread_mutex_trylock(&mutex)) == EBUSY) sched_yield();
      CHECK_RC(rc, 0);
    } else {
      CHECK_RC(pthread_mutex_lock(&mutex), 0);
    }
    CHECK_EQ(inside, 0);
    inside++;
    counter++;
    inside--;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

static void* try_held(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_trylock(&mutex), EBUSY);
  return NULL;
}

static void* lock_waits(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_EQ(stage, 2);  // the owner set it just before unlocking
  stage = 3;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, add, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(counter, kThreads * kRounds);

  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK_RC(pthread_mutex_trylock(&mutex), EBUSY);
  CHECK_RC(pthread_create(&t[0], NULL, try_held, NULL), 0);
  CHECK_RC(pthread_join(t[0], NULL), 0);
  stage = 1;
  CHECK_RC(pthread_create(&t[0], NULL, lock_waits, NULL), 0);
  CHECK_RC(pthread_create(&t[1], NULL, try_held, NULL), 0);
  CHECK_RC(pthread_join(t[1], NULL), 0);  // time for the first to run into the lock
  for (int i = 0; i < 5; i++) sched_yield();
  stage = 2;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  CHECK_RC(pthread_join(t[0], NULL), 0);
  CHECK_EQ(stage, 3);

  // Initialised, destroyed, initialised again at the same address.
  pthread_mutex_t local;
  for (int i = 0; i < 10; i++) {
    CHECK_RC(pthread_mutex_init(&local, NULL), 0);
    CHECK_RC(pthread_mutex_lock(&local), 0);
    CHECK_RC(pthread_mutex_unlock(&local), 0);
    CHECK_RC(pthread_mutex_destroy(&local), 0);
  }
  CHECK_RC(pthread_mutex_destroy(&mutex), 0);
  return check_passed("mutex_normal");
}

// SPDX-License-Identifier: Apache-2.0
