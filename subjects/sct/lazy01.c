// Two threads add to a sum, a third looks at it.
//
// Wrong: the third one relies on being early, because it is started first; it takes the sum of both
// for impossible.
// Shown when: it takes the lock after both others.
// Failure: assert.
// From: SCTBench "CS.lazy01"; "lazy" of Taming pthreads. ThreadFuzzer's "Lazy01" fails twice as
// often when threads are delayed at random: there it looks three times.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef LOOKS
#define LOOKS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void* add_one(void* arg) {
  pthread_mutex_lock(&lock);
  data++;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* add_two(void* arg) {
  pthread_mutex_lock(&lock);
  data += 2;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* look(void* arg) {
  for (int i = 0; i < LOOKS; i++) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    assert(data <= 3);
#else
    assert(data < 3);
#endif
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

int main(void) {
  pthread_t one, two, looker;
  pthread_create(&looker, NULL, look, NULL);
  pthread_create(&one, NULL, add_one, NULL);
  pthread_create(&two, NULL, add_two, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  pthread_join(looker, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
