// Two classes of users share a room: the first user of a class locks the room for the class, the
// last one unlocks it (like the readers of a readers-writer lock, twice).
//
// Wrong: the first user waits for the room while it holds the lock of the counters, which the other
// class needs to leave the room.
// Shown when: one class is in the room, the other begins to enter before the first leaves.
// Failure: deadlock.
// From: SCTBench "CS.carter01"; two of the four threads have nothing to do.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t counters = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t room = PTHREAD_MUTEX_INITIALIZER;
static int users_a, users_b;

static void enter(int* users) {
#ifdef FIXED
  // One order for all: the room first. With one user per class nothing is lost.
  pthread_mutex_lock(&room);
  pthread_mutex_lock(&counters);
  ++*users;
  pthread_mutex_unlock(&counters);
#else
  pthread_mutex_lock(&counters);
  if (++*users == 1) pthread_mutex_lock(&room);
  pthread_mutex_unlock(&counters);
#endif
}

static void leave(int* users) {
  pthread_mutex_lock(&counters);
  if (--*users == 0) pthread_mutex_unlock(&room);
  pthread_mutex_unlock(&counters);
}

static void* user_a(void* arg) {
  enter(&users_a);
  leave(&users_a);
  return arg;
}

static void* user_b(void* arg) {
  enter(&users_b);
  leave(&users_b);
  return arg;
}

static void* bystander(void* arg) { return arg; }

int main(void) {
  pthread_t threads[4];
  pthread_create(&threads[0], NULL, user_a, NULL);
  pthread_create(&threads[1], NULL, user_b, NULL);
  pthread_create(&threads[2], NULL, bystander, NULL);
  pthread_create(&threads[3], NULL, bystander, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
