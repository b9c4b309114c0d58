// Read-write locks of every preference under load: readers always see both halves equal; attributes
// round-trip.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

#include "../check.h"

enum { kReaders = 3, kWriters = 2, kRounds = 40 };

static pthread_rwlock_t lock;
static long left, right;

static void* reader(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    if (i % 4 == 0) {
      int rc;
      while ((rc = pthread_rwlock_tryrdlock(&lock)) == EBUSY) sched_yield();
      CHECK_RC(rc, 0);
    } else {
      CHECK_RC(pthread_rwlock_rdlock(&lock), 0);
    }
    CHECK_EQ(left, right);
    CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  }
  return NULL;
}

static void* writer(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_rwlock_wrlock(&lock), 0);
    CHECK_EQ(left, right);
    left++;
    right++;
    CHECK_RC(pthread_rwlock_unlock(&lock), 0);
  }
  return NULL;
}

static void load(void) {
  pthread_t t[kReaders + kWriters];
  left = right = 0;
  for (int i = 0; i < kReaders + kWriters; i++)
    CHECK_RC(pthread_create(&t[i], NULL, i < kReaders ? reader : writer, NULL), 0);
  for (int i = 0; i < kReaders + kWriters; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(left, kWriters * kRounds);
}

int main(void) {
  pthread_rwlockattr_t a;
  int v = -1;
  CHECK_RC(pthread_rwlockattr_init(&a), 0);
  CHECK_RC(pthread_rwlockattr_getpshared(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PROCESS_PRIVATE);
  CHECK_RC(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_rwlockattr_getpshared(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PROCESS_SHARED);
  CHECK_RC(pthread_rwlockattr_setpshared(&a, 9), EINVAL);
  CHECK_RC(pthread_rwlockattr_setkind_np(&a, 99), EINVAL);
  const int kinds[] = {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP,
                       PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP};
  for (int k = 0; k < 3; k++) {
    CHECK_RC(pthread_rwlockattr_setkind_np(&a, kinds[k]), 0);
    CHECK_RC(pthread_rwlockattr_getkind_np(&a, &v), 0);
    CHECK_EQ(v, kinds[k]);
    CHECK_RC(pthread_rwlock_init(&lock, &a), 0);
    load();
    CHECK_RC(pthread_rwlock_destroy(&lock), 0);
  }
  CHECK_RC(pthread_rwlockattr_destroy(&a), 0);
  lock = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  load();
  return check_passed("rwlock_kinds");
}

// SPDX-License-Identifier: Apache-2.0
