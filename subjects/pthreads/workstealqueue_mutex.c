// A work-stealing queue under one mutex: an owner puts and takes at one end, a thief takes at the
// other. VARIANT says where the mutex was forgotten:
//   1  the owner takes without it
//   2  the thief asks how many there are before it takes the mutex, and does not ask again
//   3  the owner puts without it
//
// Wrong: as above.
// Shown when: the thief acts between the owner's read and write of the ends (1, 3); or the owner
// takes the last element between the thief's question and its mutex (2).
// Failure: assert (an element is taken twice, never, or from an empty queue).
// From: SV-COMP "workstealqueue_mutex-N"; "workstealqueue_mutex_N" of Taming pthreads.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef VARIANT
#define VARIANT 1
#endif
#ifdef FIXED
#define OWNER_TAKES_WITH_LOCK true
#define THIEF_ASKS_WITH_LOCK true
#define OWNER_PUTS_WITH_LOCK true
#else
#define OWNER_TAKES_WITH_LOCK (VARIANT != 1)
#define THIEF_ASKS_WITH_LOCK (VARIANT != 2)
#define OWNER_PUTS_WITH_LOCK (VARIANT != 3)
#endif

enum { kElements = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int queue[kElements];  // numbers of elements
static int count;             // the owner's end is at count, the thief's at 0
static int taken[kElements];

static void lock_if(bool wanted) {
  if (wanted) pthread_mutex_lock(&mutex);
}

static void unlock_if(bool wanted) {
  if (wanted) pthread_mutex_unlock(&mutex);
}

static void put(int element) {
  lock_if(OWNER_PUTS_WITH_LOCK);
  queue[count] = element;
  count++;
  unlock_if(OWNER_PUTS_WITH_LOCK);
}

// -1 when there is none.
static int take(void) {
  int element = -1;
  lock_if(OWNER_TAKES_WITH_LOCK);
  if (count > 0) {
    element = queue[count - 1];
    count--;
  }
  unlock_if(OWNER_TAKES_WITH_LOCK);
  return element;
}

static int steal(void) {
  int element = -1;
  lock_if(THIEF_ASKS_WITH_LOCK);
  const bool has_some = count > 0;
  lock_if(!THIEF_ASKS_WITH_LOCK);
  if (has_some) {
    assert(count > 0);
    element = queue[0];
    for (int i = 1; i < count; i++) queue[i - 1] = queue[i];
    count--;
  }
  pthread_mutex_unlock(&mutex);
  return element;
}

static void done(int element) {
  if (element >= 0) __atomic_fetch_add(&taken[element], 1, __ATOMIC_SEQ_CST);
}

static void* thief(void* arg) {
  for (int i = 0; i < kElements / 2; i++) done(steal());
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, thief, NULL);
  for (int i = 0; i < kElements; i += 2) {
    put(i);
    put(i + 1);
    done(take());
  }
  for (int i = 0; i < kElements / 2; i++) done(take());
  pthread_join(thread, NULL);
  while (count > 0) done(take());
  for (int i = 0; i < kElements; i++) assert(taken[i] == 1);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
