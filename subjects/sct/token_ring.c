// Three threads pass a token round a ring of variables; a fourth checks that all agree.
//
// Wrong: the check assumes that the token has gone round completely, or not at all.
// Shown when: it comes after some of the three.
// Failure: assert.
// From: SCTBench "CS.token_ring".
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kStations = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x1, x2, x3;
#ifdef FIXED
static int moves;
#endif

static void* first(void* arg) {
  pthread_mutex_lock(&lock);
  x1 = (x3 + 1) % kStations;
#ifdef FIXED
  moves++;
#endif
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* second(void* arg) {
  pthread_mutex_lock(&lock);
  x2 = x1;
#ifdef FIXED
  moves++;
#endif
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* third(void* arg) {
  pthread_mutex_lock(&lock);
  x3 = x2;
#ifdef FIXED
  moves++;
#endif
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* check(void* arg) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  // All that can be said at any time: nobody is more than one ahead.
  assert(x1 - x2 <= 1 && x2 - x3 <= 1 && moves <= 3);
#else
  assert(x1 == x2 && x2 == x3);
#endif
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t threads[4];
  void* (*const bodies[4])(void*) = {first, second, third, check};
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
