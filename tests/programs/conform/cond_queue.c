// A bounded queue between several producers and consumers: nothing lost, nothing twice, each
// producer's items in order.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

enum { kProducers = 3, kConsumers = 3, kItems = 60, kRoom = 4 };

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t not_empty, not_full;
  int items[kRoom], head, count, closed;
} queue = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0};

static int seen[kProducers * kItems];
static pthread_mutex_t seen_mutex = PTHREAD_MUTEX_INITIALIZER;

static void* produce(void* arg) {
  int id = (int)(intptr_t)arg;
  for (int i = 0; i < kItems; i++) {
    CHECK_RC(pthread_mutex_lock(&queue.mutex), 0);
    while (queue.count == kRoom) CHECK_RC(pthread_cond_wait(&queue.not_full, &queue.mutex), 0);
    CHECK(queue.count >= 0 && queue.count < kRoom);
    queue.items[(queue.head + queue.count++) % kRoom] = id * kItems + i;
    CHECK_RC(pthread_cond_signal(&queue.not_empty), 0);
    CHECK_RC(pthread_mutex_unlock(&queue.mutex), 0);
  }
  return NULL;
}

static void* consume(void* arg) {
  (void)arg;
  int last[kProducers] = {-1, -1, -1};
  intptr_t got = 0;
  for (;;) {
    CHECK_RC(pthread_mutex_lock(&queue.mutex), 0);
    while (queue.count == 0 && !queue.closed)
      CHECK_RC(pthread_cond_wait(&queue.not_empty, &queue.mutex), 0);
    if (queue.count == 0) break;
    int item = queue.items[queue.head];
    queue.head = (queue.head + 1) % kRoom;
    queue.count--;
    CHECK_RC(pthread_cond_signal(&queue.not_full), 0);
    CHECK_RC(pthread_mutex_unlock(&queue.mutex), 0);
    CHECK(item % kItems > last[item / kItems]);
    last[item / kItems] = item % kItems;
    CHECK_RC(pthread_mutex_lock(&seen_mutex), 0);
    seen[item]++;
    CHECK_RC(pthread_mutex_unlock(&seen_mutex), 0);
    got++;
  }
  CHECK_RC(pthread_mutex_unlock(&queue.mutex), 0);
  return (void*)got;
}

int main(void) {
  pthread_t p[kProducers], c[kConsumers];
  for (intptr_t i = 0; i < kConsumers; i++) CHECK_RC(pthread_create(&c[i], NULL, consume, NULL), 0);
  for (intptr_t i = 0; i < kProducers; i++)
    CHECK_RC(pthread_create(&p[i], NULL, produce, (void*)i), 0);
  for (int i = 0; i < kProducers; i++) CHECK_RC(pthread_join(p[i], NULL), 0);
  CHECK_RC(pthread_mutex_lock(&queue.mutex), 0);
  queue.closed = 1;
  CHECK_RC(pthread_cond_broadcast(&queue.not_empty), 0);
  CHECK_RC(pthread_mutex_unlock(&queue.mutex), 0);
  intptr_t total = 0;
  for (int i = 0; i < kConsumers; i++) {
    void* got = NULL;
    CHECK_RC(pthread_join(c[i], &got), 0);
    total += (intptr_t)got;
  }
  CHECK_EQ(total, kProducers * kItems);
  for (int i = 0; i < kProducers * kItems; i++) CHECK_EQ(seen[i], 1);
  return check_passed("cond_queue");
}

// SPDX-License-Identifier: Apache-2.0
