// SPDX-License-Identifier: Apache-2.0
// Blocks allocated by one thread and freed by another, while threads come and go.
#include <assert.h>
#include <mimalloc.h>
#include <pthread.h>
#include <string.h>

static char* blocks[4];

static void* allocate(void* first) {
  for (long i = (long)first; i < (long)first + 2; ++i) {
    char* block = mi_malloc(40 + 16 * i);
    memset(block, (int)i, 40);
    __atomic_store_n(&blocks[i], block, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void* release(void* unused) {
  for (int i = 0; i < 4; ++i) {
    char* block = __atomic_exchange_n(&blocks[i], NULL, __ATOMIC_ACQUIRE);
    if (block) assert(block[0] == i && block[39] == i);
    mi_free(block);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, allocate, (void*)0);
  pthread_create(&threads[1], NULL, allocate, (void*)2);
  pthread_create(&threads[2], NULL, release, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  release(NULL);
}
