// More threads than are looked at one by one wait for one object of each kind; some of them are
// signalled, cancelled or run out of time while they do.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "../check.h"

enum { kThreads = 48 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static sem_t semaphore;
static int inside, spinning, count, go, timed_out, cancelled, handled;

static void handle(int signal) {
  (void)signal;
  __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
}

static void* take_locks(void* argument) {
  const long i = (long)argument;
  pthread_mutex_lock(&mutex);
  CHECK(inside++ == 0);
  --inside;
  pthread_mutex_unlock(&mutex);
  if (i % 4 == 0) {
    pthread_rwlock_wrlock(&rwlock);
    ++count;
  } else {
    pthread_rwlock_rdlock(&rwlock);
  }
  pthread_rwlock_unlock(&rwlock);
  pthread_spin_lock(&spinlock);
  CHECK(spinning++ == 0);
  --spinning;
  pthread_spin_unlock(&spinlock);
  return NULL;
}

static void* wait_for_all(void* argument) {
  const long i = (long)argument;
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);  // with the mutex
  pthread_mutex_lock(&mutex);
  ++count;
  while (!go) {
    pthread_cond_wait(&condition, &mutex);
  }
  CHECK(inside++ == 0);
  --inside;
  pthread_mutex_unlock(&mutex);
  struct timespec past = {1, 0};
  if (i % 8 == 0) {
    if (sem_timedwait(&semaphore, &past) != 0) __atomic_fetch_add(&timed_out, 1, __ATOMIC_SEQ_CST);
    return NULL;
  }
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
  while (sem_wait(&semaphore) != 0) {
  }
  return NULL;
}

static void run(void* (*function)(void*), void (*meanwhile)(pthread_t*)) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) {
    CHECK(pthread_create(&threads[i], NULL, function, (void*)i) == 0);
  }
  meanwhile(threads);
  for (int i = 0; i < kThreads; ++i) {
    void* result;
    CHECK(pthread_join(threads[i], &result) == 0);
    cancelled += result == PTHREAD_CANCELED;
  }
}

static void unlock_all(pthread_t* threads) {
  (void)threads;
  pthread_mutex_unlock(&mutex);
  sched_yield();
  pthread_rwlock_unlock(&rwlock);
  sched_yield();
  pthread_spin_unlock(&spinlock);
}

static void wake_all(pthread_t* threads) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    const int arrived = count;
    if (arrived == kThreads) break;
    pthread_mutex_unlock(&mutex);
    sched_yield();
  }
  go = 1;
  pthread_cond_broadcast(&condition);
  pthread_kill(threads[3], SIGUSR1);
  pthread_mutex_unlock(&mutex);
  pthread_kill(threads[5], SIGUSR1);
  pthread_cancel(threads[7]);
  for (int i = 0; i < kThreads; ++i) sem_post(&semaphore);
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&semaphore, 0, 0);
  pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  pthread_spin_lock(&spinlock);
  run(take_locks, unlock_all);
  CHECK(count == kThreads / 4);
  count = 0;
  run(wait_for_all, wake_all);
  CHECK(handled == 2);
  CHECK(cancelled <= 1);
  CHECK(timed_out <= kThreads / 8);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
