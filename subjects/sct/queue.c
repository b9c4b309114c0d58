// A queue under a lock, and a record of what was put in, to compare with what comes out.
//
// Wrong: the producer makes the record when it has already given up the lock.
// Shown when: the consumer takes an element between the producer's unlock and its record.
// Failure: assert.
// From: SCTBench "CS.queue".
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { kElements = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int elements[kElements];
static int head, tail;
static int recorded[kElements];

static void enqueue(int value) { elements[tail++] = value; }
static int dequeue(void) { return elements[head++]; }
static bool is_empty(void) { return head == tail; }

static void* produce(void* arg) {
  for (int i = 0; i < kElements; i++) {
    const int value = 7 * i + 3;
    pthread_mutex_lock(&lock);
    enqueue(value);
#ifdef FIXED
    recorded[i] = value;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_unlock(&lock);
    recorded[i] = value;
#endif
  }
  return arg;
}

static void* consume(void* arg) {
  int taken = 0;
  for (int i = 0; i < kElements; i++) {
    pthread_mutex_lock(&lock);
    if (!is_empty()) {
      const int value = dequeue();
      assert(value == recorded[taken]);
      taken++;
    }
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

int main(void) {
  pthread_t producer, consumer;
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
