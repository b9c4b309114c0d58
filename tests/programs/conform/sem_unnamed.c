// Unnamed semaphores: counts, blocking, EAGAIN, EOVERFLOW, EINVAL, getvalue.
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "../check.h"

enum { kThreads = 5, kRounds = 40, kSlots = 2 };

static sem_t slots, items, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside, most, plain;

static void wait_sem(sem_t* s) {
  while (sem_wait(s) != 0) CHECK_EQ(errno, EINTR);
}

static void* limited(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    wait_sem(&slots);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    if (++inside > most) most = inside;
    CHECK(inside <= kSlots);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    inside--;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_OK(sem_post(&slots));
  }
  return NULL;
}

static void* consumer(void* arg) {
  (void)arg;
  for (int i = 1; i <= kRounds; i++) {
    wait_sem(&items);
    CHECK_EQ(plain, i);  // ordered by post and wait
    CHECK_OK(sem_post(&done));
  }
  return NULL;
}

int main(void) {
  sem_t s;
  int v = -1;
  CHECK_OK(sem_init(&s, 0, 3));
  CHECK_OK(sem_getvalue(&s, &v));
  CHECK_EQ(v, 3);
  for (int i = 0; i < 3; i++) CHECK_OK(sem_trywait(&s));
  CHECK_ERRNO(sem_trywait(&s), EAGAIN);
  CHECK_OK(sem_getvalue(&s, &v));
  CHECK_EQ(v, 0);
  CHECK_OK(sem_post(&s));
  CHECK_OK(sem_wait(&s));
  CHECK_OK(sem_destroy(&s));
  CHECK_OK(sem_init(&s, 1, SEM_VALUE_MAX));
  CHECK_ERRNO(sem_post(&s), EOVERFLOW);
  CHECK_OK(sem_wait(&s));
  CHECK_OK(sem_post(&s));
  CHECK_OK(sem_destroy(&s));
  CHECK_ERRNO(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1u), EINVAL);

  pthread_t t[kThreads];
  CHECK_OK(sem_init(&slots, 0, kSlots));
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, limited, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK(most >= 1 && most <= kSlots);
  CHECK_OK(sem_getvalue(&slots, &v));
  CHECK_EQ(v, kSlots);

  CHECK_OK(sem_init(&items, 0, 0));
  CHECK_OK(sem_init(&done, 0, 0));
  CHECK_RC(pthread_create(&t[0], NULL, consumer, NULL), 0);
  for (int i = 1; i <= kRounds; i++) {
    plain = i;
    CHECK_OK(sem_post(&items));
    wait_sem(&done);
  }
  CHECK_RC(pthread_join(t[0], NULL), 0);
  CHECK_OK(sem_destroy(&items));
  CHECK_OK(sem_destroy(&done));
  CHECK_OK(sem_destroy(&slots));
  return check_passed("sem_unnamed");
}

// SPDX-License-Identifier: Apache-2.0
