// A recursive mutex counts its owner's locks; others wait for the last unlock; unlocking another's
// is EPERM.
#include <pthread.h>
#include <time.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 40 };

static pthread_mutex_t mutex;
static int depth_sum;

static void* other(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_trylock(&mutex), EBUSY);
  CHECK_RC(pthread_mutex_unlock(&mutex), EPERM);
  return NULL;
}

static void descend(int depth) {
  if (depth == 0) return;
  if (depth % 2 == 0)
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
  else
    CHECK_RC(pthread_mutex_trylock(&mutex), 0);  // the owner's trylock succeeds
  depth_sum++;
  descend(depth - 1);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
}

static void* worker(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    int before = depth_sum;
    descend(5);
    CHECK_EQ(depth_sum, before + 5);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

int main(void) {
  pthread_mutexattr_t a;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  CHECK_RC(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE), 0);
  CHECK_RC(pthread_mutex_init(&mutex, &a), 0);
  CHECK_RC(pthread_mutexattr_destroy(&a), 0);

  pthread_t t[kThreads];
  CHECK_RC(pthread_mutex_unlock(&mutex), EPERM);
  for (int i = 0; i < 1000; i++) CHECK_RC(pthread_mutex_lock(&mutex), 0);
  struct timespec past = {1, 0};
  CHECK_RC(pthread_mutex_timedlock(&mutex, &past), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < 1000; i++) {
    if (i % 300 == 0) {
      CHECK_RC(pthread_create(&t[0], NULL, other, NULL), 0);
      CHECK_RC(pthread_join(t[0], NULL), 0);
    }
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  CHECK_RC(pthread_mutex_unlock(&mutex), EPERM);

  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, worker, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(depth_sum, kThreads * kRounds * 5);
  CHECK_RC(pthread_mutex_destroy(&mutex), 0);
  return check_passed("mutex_recursive");
}

// SPDX-License-Identifier: Apache-2.0
