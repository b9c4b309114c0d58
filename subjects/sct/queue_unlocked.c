// A queue between two threads; both keep count of what is in it.
//
// Wrong: the count is atomic, but changed in two steps. Each thread stores what follows from the
// count that it saw before it worked on an element, and so loses what the other did meanwhile.
// Shown when: the count is changed by one thread while the other works on an element. Then an
// element is taken that is not there, or written over before it was taken.
// Failure: assert.
// From: "Queue" of ThreadFuzzer, which the plain program shows in nearly every run. `queue` is the
// pattern with a lock and a narrower bug.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { kPlaces = 4, kTries = 400 };

static pthread_barrier_t start;
static unsigned elements[kPlaces];
static atomic_int count;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

// Takes a little while, in which others have their turn.
static unsigned work_on(unsigned number) {
  sched_yield();
  for (int i = 0; i < 100; i++) number = number * 1664525u + 1013904223u;
  return number;
}

static void begin(void) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
}

static void end(void) {
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void* produce(void* arg) {
  unsigned next = 0;
  pthread_barrier_wait(&start);
  for (int i = 0; i < kTries; i++) {
    begin();
    const int present = count;
    const unsigned element = work_on(next);
    if (present < kPlaces) {
      elements[next++ % kPlaces] = element;
      count = present + 1;
    }
    end();
  }
  return arg;
}

static void* consume(void* arg) {
  unsigned next = 0;
  pthread_barrier_wait(&start);
  for (int i = 0; i < kTries; i++) {
    begin();
    const int present = count;
    const unsigned expected = work_on(next);
    if (present > 0) {
      assert(elements[next++ % kPlaces] == expected);
      count = present - 1;
    }
    end();
  }
  return arg;
}

int main(void) {
  pthread_t producer, consumer;
  pthread_barrier_init(&start, NULL, 2);
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
