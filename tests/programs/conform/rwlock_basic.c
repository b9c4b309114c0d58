// Read-write locks: readers share, a writer excludes everyone, try calls are EBUSY, the own write
// lock is EDEADLK.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

enum { kReaders = 4 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t all_inside;
static int value, stage;

static void barrier(void) {
  int rc = pthread_barrier_wait(&all_inside);
  CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
}

// Every reader is inside at the same time: the barrier can only open if they share.
static void* read_together(void* arg) {
  (void)arg;
  CHECK_RC(pthread_rwlock_rdlock(&lock), 0);
  barrier();
  CHECK_RC(pthread_rwlock_trywrlock(&lock), EBUSY);
  CHECK_RC(pthread_rwlock_tryrdlock(&lock), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  barrier();
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void* try_both(void* expected) {
  CHECK_RC(pthread_rwlock_trywrlock(&lock), EBUSY);
  int rc = pthread_rwlock_tryrdlock(&lock);
  CHECK_EQ(rc, (intptr_t)expected);
  if (rc == 0) CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void* read_waits(void* arg) {
  (void)arg;
  CHECK_RC(pthread_rwlock_rdlock(&lock), 0);
  CHECK_EQ(stage, 1);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void* write_waits(void* arg) {
  (void)arg;
  CHECK_RC(pthread_rwlock_wrlock(&lock), 0);
  CHECK_EQ(stage, 1);
  value++;
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void run(void* (*body)(void*), void* arg) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, body, arg), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
}

int main(void) {
  pthread_t t[kReaders + 2];
  CHECK_RC(pthread_barrier_init(&all_inside, NULL, kReaders), 0);
  for (int i = 0; i < kReaders; i++) CHECK_RC(pthread_create(&t[i], NULL, read_together, NULL), 0);
  for (int i = 0; i < kReaders; i++) CHECK_RC(pthread_join(t[i], NULL), 0);

  CHECK_RC(pthread_rwlock_rdlock(&lock), 0);
  CHECK_RC(pthread_rwlock_rdlock(&lock), 0);  // read locks nest
  run(try_both, (void*)0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  run(try_both, (void*)0);  // still one left
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);

  CHECK_RC(pthread_rwlock_wrlock(&lock), 0);
  CHECK_RC(pthread_rwlock_wrlock(&lock), EDEADLK);
  CHECK_RC(pthread_rwlock_rdlock(&lock), EDEADLK);
  CHECK_RC(pthread_rwlock_trywrlock(&lock), EBUSY);
  CHECK_RC(pthread_rwlock_tryrdlock(&lock), EBUSY);
  run(try_both, (void*)EBUSY);
  for (int i = 0; i < kReaders; i++) CHECK_RC(pthread_create(&t[i], NULL, read_waits, NULL), 0);
  for (int i = 0; i < 2; i++)
    CHECK_RC(pthread_create(&t[kReaders + i], NULL, write_waits, NULL), 0);
  run(try_both, (void*)EBUSY);
  stage = 1;
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  for (int i = 0; i < kReaders + 2; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(value, 2);

  CHECK_RC(pthread_rwlock_trywrlock(&lock), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_rwlock_tryrdlock(&lock), 0);
  CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  CHECK_RC(pthread_rwlock_destroy(&lock), 0);
  return check_passed("rwlock_basic");
}

// SPDX-License-Identifier: Apache-2.0
