// A channel with two receivers that wait and one sender: a message is put into the slot of the
// receiver that has waited longest, which is then woken.
//
// Wrong: all receivers wait on one condition variable, so that the wake-up may reach the other
// receiver; that one finds its slot empty and goes on waiting.
// Shown when: both receivers wait, and the signal wakes the one whose slot was not filled.
// Failure: deadlock.
// From: domainslib issue 25, found by ParaFuzz ("DL"); Sumit Padhiyar's thesis on property-based
// concurrency fuzzing.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { kReceivers = 2 };

struct slot {
  bool filled;
  int message;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct slot* waiting[kReceivers];
static int waiting_count;
static int queued[kReceivers];
static int queued_count;

static int receive(void) {
  struct slot slot = {false, 0};
  pthread_mutex_lock(&lock);
  if (queued_count > 0) {
    slot.message = queued[--queued_count];
  } else {
    waiting[waiting_count++] = &slot;
    while (!slot.filled) pthread_cond_wait(&arrived, &lock);
  }
  pthread_mutex_unlock(&lock);
  return slot.message;
}

static void send(int message) {
  pthread_mutex_lock(&lock);
  if (waiting_count > 0) {
    struct slot* first = waiting[0];
    waiting[0] = waiting[--waiting_count];
    first->message = message;
    first->filled = true;
#ifdef FIXED
    pthread_cond_broadcast(&arrived);
#else
    pthread_cond_signal(&arrived);
#endif
  } else {
    queued[queued_count++] = message;
  }
  pthread_mutex_unlock(&lock);
}

static void* receiver(void* arg) {
  const int message = receive();
  assert(message == 1 || message == 2);
  return arg;
}

int main(void) {
  pthread_t receivers[kReceivers];
  for (int i = 0; i < kReceivers; i++) pthread_create(&receivers[i], NULL, receiver, NULL);
  send(1);
  send(2);
  for (int i = 0; i < kReceivers; i++) pthread_join(receivers[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
