// A log kept in a circular buffer: one thread writes numbered entries, another reads them.
//
// Wrong: the reader expects the number of its attempt, but an attempt that finds the buffer empty
// is an attempt, too.
// Shown when: the reader comes at least once before the first entry, and at least once after it.
// Failure: assert.
// From: SCTBench "CS.circular_buffer".
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kSize = 10, kEntries = 7 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries[kSize];
static unsigned first, next;

static void insert(int entry) {
  entries[next] = entry;
  next = (next + 1) % kSize;
}

static int remove_first(void) {
  const int entry = entries[first];
  first = (first + 1) % kSize;
  return entry;
}

static void* sender(void* arg) {
  for (int i = 0; i < kEntries; i++) {
    pthread_mutex_lock(&lock);
    insert(i);
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

static void* receiver(void* arg) {
  int expected = 0;
  for (int attempt = 0; attempt < kEntries; attempt++) {
    pthread_mutex_lock(&lock);
    if (first != next) {
#ifndef FIXED
      expected = attempt;
#endif
      const int entry = remove_first();
      assert(entry == expected);
      expected++;
    }
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

int main(void) {
  pthread_t send, receive;
  pthread_create(&send, NULL, sender, NULL);
  pthread_create(&receive, NULL, receiver, NULL);
  pthread_join(send, NULL);
  pthread_join(receive, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
