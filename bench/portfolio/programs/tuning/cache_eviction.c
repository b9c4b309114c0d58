// SPDX-License-Identifier: Apache-2.0
// A cache of two places. A lookup finds its entry under the lock, but pins it only afterwards: an insertion in between evicts it, and
// another key is in its place.
#include <assert.h>
#include <pthread.h>

enum { PLACES = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int key, value, pins, age;
} cache[PLACES];
static int now;

static int find(int key) {
  for (int i = 0; i < PLACES; ++i) {
    if (cache[i].key == key) return i;
  }
  return -1;
}
static void insert(int key) {
  pthread_mutex_lock(&lock);
  if (find(key) < 0) {
    int oldest = -1;
    for (int i = 0; i < PLACES; ++i) {
      if (cache[i].pins == 0 && (oldest < 0 || cache[i].age < cache[oldest].age)) oldest = i;
    }
    if (oldest >= 0) {
      cache[oldest].key = key;
      cache[oldest].value = 10 * key;
      cache[oldest].age = ++now;
    }
  }
  pthread_mutex_unlock(&lock);
}
static void* look_up(void* unused) {
  for (int round = 0; round < 2; ++round) {
    insert(1);
    pthread_mutex_lock(&lock);
    const int place = find(1);
    pthread_mutex_unlock(&lock);
    if (place < 0) continue;
    pthread_mutex_lock(&lock);
    ++cache[place].pins;
    pthread_mutex_unlock(&lock);
    assert(cache[place].value == 10);
    pthread_mutex_lock(&lock);
    --cache[place].pins;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
static void* fill(void* argument) {
  insert((int)(long)argument);
  return 0;
}

int main(void) {
  pthread_t threads[4];
  pthread_create(&threads[0], 0, look_up, 0);
  for (long i = 1; i < 4; ++i) pthread_create(&threads[i], 0, fill, (void*)(i + 1));
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
}
