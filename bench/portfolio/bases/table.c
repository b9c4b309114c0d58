// SPDX-License-Identifier: Apache-2.0
// A hash table with two stripes; three threads insert, look up and remove.
#include <pthread.h>

enum { STRIPES = 2, ROOM = 8 };
static pthread_mutex_t locks[STRIPES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int keys[STRIPES][ROOM], count[STRIPES];
static int hits;
static pthread_mutex_t hits_lock = PTHREAD_MUTEX_INITIALIZER;

static void insert(int key) {
  const int stripe = key % STRIPES;
  pthread_mutex_lock(&locks[stripe]);
  keys[stripe][count[stripe]] = key;
  ++count[stripe];
  pthread_mutex_unlock(&locks[stripe]);
}
static int contains(int key) {
  const int stripe = key % STRIPES;
  int found = 0;
  pthread_mutex_lock(&locks[stripe]);
  for (int i = 0; i < count[stripe]; ++i) {
    found |= keys[stripe][i] == key;
  }
  pthread_mutex_unlock(&locks[stripe]);
  return found;
}
static void erase(int key) {
  const int stripe = key % STRIPES;
  pthread_mutex_lock(&locks[stripe]);
  for (int i = 0; i < count[stripe]; ++i) {
    if (keys[stripe][i] == key) {
      keys[stripe][i] = keys[stripe][count[stripe] - 1];
      --count[stripe];
      break;
    }
  }
  pthread_mutex_unlock(&locks[stripe]);
}
static void* work(void* argument) {
  const int base = (int)(long)argument;
  insert(base);
  insert(base + 1);
  const int found = contains(3);
  if (found) {
    pthread_mutex_lock(&hits_lock);
    ++hits;
    pthread_mutex_unlock(&hits_lock);
  }
  erase(base);
  erase(base + 1);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, (void*)(2 * i + 1));
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return count[0] + count[1] != 0 || hits < 1 || hits > 3;
}
