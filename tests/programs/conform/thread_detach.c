// Detached threads: by call, by attribute, by themselves; joining or detaching again is EINVAL
// while they live.
#include <pthread.h>
#include <semaphore.h>

#include "../check.h"

static sem_t started, go, done;

static void wait_sem(sem_t* s) {
  while (sem_wait(s) != 0) CHECK_EQ(errno, EINTR);
}

static void* body(void* arg) {
  CHECK_OK(sem_post(&started));
  wait_sem(&go);
  *(int*)arg += 1;
  CHECK_OK(sem_post(&done));
  return arg;
}

static void* detach_self(void* arg) {
  CHECK_RC(pthread_detach(pthread_self()), 0);
  CHECK_RC(pthread_detach(pthread_self()), EINVAL);
  return body(arg);
}

static void finish(pthread_t t, int* count) {
  wait_sem(&started);
  CHECK_RC(pthread_join(t, NULL), EINVAL);
  CHECK_RC(pthread_detach(t), EINVAL);
  CHECK_OK(sem_post(&go));
  wait_sem(&done);
  CHECK_EQ(*count, 1);
}

int main(void) {
  CHECK_OK(sem_init(&started, 0, 0));
  CHECK_OK(sem_init(&go, 0, 0));
  CHECK_OK(sem_init(&done, 0, 0));
  pthread_t t;
  int a = 0, b = 0, c = 0;

  CHECK_RC(pthread_create(&t, NULL, body, &a), 0);
  CHECK_RC(pthread_detach(t), 0);
  finish(t, &a);

  pthread_attr_t attr;
  CHECK_RC(pthread_attr_init(&attr), 0);
  CHECK_RC(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED), 0);
  CHECK_RC(pthread_create(&t, &attr, body, &b), 0);
  finish(t, &b);

  CHECK_RC(pthread_create(&t, NULL, detach_self, &c), 0);
  finish(t, &c);

  // Many short detached threads: their resources come back by themselves.
  static int cells[300];
  for (int i = 0; i < 300; i++) {
    CHECK_RC(pthread_create(&t, &attr, body, &cells[i]), 0);
    wait_sem(&started);
    CHECK_OK(sem_post(&go));
    wait_sem(&done);
    CHECK_EQ(cells[i], 1);
  }
  CHECK_RC(pthread_attr_destroy(&attr), 0);
  return check_passed("thread_detach");
}

// SPDX-License-Identifier: Apache-2.0
