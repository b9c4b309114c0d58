// One thread puts an item into a box, another waits for it on a condition variable.
//
// Wrong: the waiting thread looks into the box before it takes the lock, and does not look again.
// Shown when: the item and its signal come between that look and the wait.
// Failure: deadlock (the lost wake-up).
// From: SCTBench "CS.sync01", "CS.sync02".
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void* put(void* arg) {
  pthread_mutex_lock(&lock);
  items++;
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&filled);
  return arg;
}

static void* take(void* arg) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
  while (items == 0) pthread_cond_wait(&filled, &lock);
#else
  if (items == 0) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&filled, &lock);
  } else {
    pthread_mutex_lock(&lock);
  }
#endif
  items--;
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t putter, taker;
  pthread_create(&putter, NULL, put, NULL);
  pthread_create(&taker, NULL, take, NULL);
  pthread_join(putter, NULL);
  pthread_join(taker, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
