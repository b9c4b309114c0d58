// Mutex attributes: process-shared, protocol, priority ceiling; a priority-inheritance mutex works
// like any other.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 50 };

static pthread_mutex_t inherit, shared;
static int counter, shared_counter;

static void* body(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_mutex_lock(&inherit), 0);
    counter++;
    CHECK_RC(pthread_mutex_unlock(&inherit), 0);
    CHECK_RC(pthread_mutex_lock(&shared), 0);
    shared_counter++;
    CHECK_RC(pthread_mutex_unlock(&shared), 0);
  }
  return NULL;
}

int main(void) {
  pthread_mutexattr_t a;
  int v = -1;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  CHECK_RC(pthread_mutexattr_gettype(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_MUTEX_DEFAULT);
  CHECK_RC(pthread_mutexattr_getpshared(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PROCESS_PRIVATE);
  CHECK_RC(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_mutexattr_getpshared(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PROCESS_SHARED);
  CHECK_RC(pthread_mutexattr_setpshared(&a, 9), EINVAL);
  CHECK_RC(pthread_mutex_init(&shared, &a), 0);
  CHECK_RC(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_PRIVATE), 0);

  CHECK_RC(pthread_mutexattr_getprotocol(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PRIO_NONE);
  CHECK_RC(pthread_mutexattr_setprotocol(&a, 9), EINVAL);
  CHECK_RC(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT), 0);
  CHECK_RC(pthread_mutexattr_getprotocol(&a, &v), 0);
  CHECK_EQ(v, PTHREAD_PRIO_INHERIT);
  CHECK_RC(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK), 0);
  CHECK_RC(pthread_mutex_init(&inherit, &a), 0);
  CHECK_RC(pthread_mutex_lock(&inherit), 0);
  CHECK_RC(pthread_mutex_lock(&inherit), EDEADLK);
  CHECK_RC(pthread_mutex_unlock(&inherit), 0);
  CHECK_RC(pthread_mutex_unlock(&inherit), EPERM);
  CHECK_RC(pthread_mutex_getprioceiling(&inherit, &v), EINVAL);

  const int low = sched_get_priority_min(SCHED_FIFO), high = sched_get_priority_max(SCHED_FIFO);
  CHECK_RC(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT), 0);
  CHECK_RC(pthread_mutexattr_setprioceiling(&a, low + 1), 0);
  CHECK_RC(pthread_mutexattr_getprioceiling(&a, &v), 0);
  CHECK_EQ(v, low + 1);
  CHECK_RC(pthread_mutexattr_setprioceiling(&a, high + 1), EINVAL);
  pthread_mutex_t protect;
  CHECK_RC(pthread_mutex_init(&protect, &a), 0);
  CHECK_RC(pthread_mutex_getprioceiling(&protect, &v), 0);
  CHECK_EQ(v, low + 1);
  int before = -1, rc = pthread_mutex_setprioceiling(&protect, low + 2, &before);
  CHECK(rc == 0 ||
        rc == EPERM);  // it locks the mutex, which may need the right to a real-time priority
  if (rc == 0) {
    CHECK_EQ(before, low + 1);
    CHECK_RC(pthread_mutex_getprioceiling(&protect, &v), 0);
    CHECK_EQ(v, low + 2);
  }
  CHECK_RC(pthread_mutex_setprioceiling(&inherit, low + 2, &before), EINVAL);
  CHECK_RC(pthread_mutex_destroy(&protect), 0);
  CHECK_RC(pthread_mutexattr_destroy(&a), 0);

  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(counter, kThreads * kRounds);
  CHECK_EQ(shared_counter, kThreads * kRounds);
  CHECK_RC(pthread_mutex_destroy(&inherit), 0);
  CHECK_RC(pthread_mutex_destroy(&shared), 0);
  return check_passed("mutex_attr");
}

// SPDX-License-Identifier: Apache-2.0
