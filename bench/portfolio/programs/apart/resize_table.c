// SPDX-License-Identifier: Apache-2.0
// A hash table with a lock per bucket that grows. Who inserts computes the bucket with the old size and takes the lock then: if the table has
// been moved meanwhile the entry lands in the old one, and is lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { OLD = 2, NEW = 4 };
static pthread_mutex_t locks[OLD];
static int old_table[OLD][4], new_table[NEW][8];
static int old_count[OLD], new_count[NEW];
static atomic_int moved;

static void insert(int key) {
  if (atomic_load(&moved)) {
    const int bucket = key % NEW;
    pthread_mutex_lock(&locks[bucket % OLD]);
    new_table[bucket][new_count[bucket]++] = key;
    pthread_mutex_unlock(&locks[bucket % OLD]);
  } else {
    const int bucket = key % OLD;
    pthread_mutex_lock(&locks[bucket]);
    old_table[bucket][old_count[bucket]++] = key;
    pthread_mutex_unlock(&locks[bucket]);
  }
}
static void* grow(void* unused) {
  for (int i = 0; i < OLD; ++i) pthread_mutex_lock(&locks[i]);
  for (int i = 0; i < OLD; ++i) {
    for (int n = 0; n < old_count[i]; ++n) {
      const int key = old_table[i][n];
      new_table[key % NEW][new_count[key % NEW]++] = key;
    }
  }
  atomic_store(&moved, 1);
  for (int i = 0; i < OLD; ++i) pthread_mutex_unlock(&locks[i]);
  return unused;
}
static void* insert_two(void* argument) {
  insert((int)(long)argument);
  insert((int)(long)argument + 3);
  return 0;
}

int main(void) {
  for (int i = 0; i < OLD; ++i) pthread_mutex_init(&locks[i], 0);
  pthread_t threads[3];
  pthread_create(&threads[0], 0, insert_two, (void*)1L);
  pthread_create(&threads[1], 0, insert_two, (void*)2L);
  pthread_create(&threads[2], 0, grow, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  int count = 0;
  for (int i = 0; i < NEW; ++i) count += new_count[i];
  assert(count == 4);
}
