// SPDX-License-Identifier: Apache-2.0
// A bounded queue between two producers and two consumers.
#include <pthread.h>

enum { ROOM = 2, ITEMS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int items[ROOM], used, first, sum;

static void put(int item) {
  pthread_mutex_lock(&lock);
  while (used == ROOM) {
    pthread_cond_wait(&not_full, &lock);
  }
  items[(first + used) % ROOM] = item;
  ++used;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
}
static int take(void) {
  pthread_mutex_lock(&lock);
  while (used == 0) {
    pthread_cond_wait(&not_empty, &lock);
  }
  const int item = items[first];
  first = (first + 1) % ROOM;
  --used;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&lock);
  return item;
}
static void* produce(void* argument) {
  for (int i = 1; i <= ITEMS; ++i) {
    const int item = i * (int)(long)argument;
    put(item);
  }
  return 0;
}
static void* consume(void* unused) {
  int mine = 0;
  for (int i = 0; i < ITEMS; ++i) {
    const int item = take();
    mine += item;
  }
  pthread_mutex_lock(&lock);
  sum += mine;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  pthread_create(&threads[0], 0, produce, (void*)1L);
  pthread_create(&threads[1], 0, consume, 0);
  pthread_create(&threads[2], 0, produce, (void*)10L);
  pthread_create(&threads[3], 0, consume, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return sum != 66;
}
