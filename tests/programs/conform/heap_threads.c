// The heap from many threads: own blocks stay own, blocks freed by others, handed over, grown by
// others.
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

enum { kThreads = 5, kBlocks = 40, kSlots = 16, kRounds = 60 };

struct block {
  size_t size;
  unsigned char mark, bytes[];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct block* slots[kSlots];

static struct block* make(size_t size, unsigned char mark) {
  struct block* b = malloc(sizeof *b + size);
  CHECK(b);
  b->size = size;
  b->mark = mark;
  memset(b->bytes, mark, size);
  return b;
}

static void verify(const struct block* b) {
  for (size_t i = 0; i < b->size; i++) CHECK_EQ(b->bytes[i], b->mark);
}

static void* body(void* arg) {
  unsigned seed = *(unsigned*)arg * 7919u + 1;
  struct block* own[kBlocks] = {0};
  for (int i = 0; i < kBlocks; i++)
    own[i] = make((seed + (unsigned)i * 37u) % 500u, (unsigned char)(seed + (unsigned)i));
  for (int r = 0; r < kRounds; r++) {
    seed = seed * 1103515245u + 12345u;
    unsigned slot = (seed >> 16) % kSlots;
    struct block* mine = make((seed >> 8) % 2000u, (unsigned char)seed);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    struct block* theirs = slots[slot];
    slots[slot] = mine;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    if (!theirs) continue;
    verify(theirs);
    if (r % 3 == 0) {  // grow what another thread made
      size_t size = theirs->size + 700;
      theirs = realloc(theirs, sizeof *theirs + size);
      CHECK(theirs);
      verify(theirs);
      memset(theirs->bytes, theirs->mark, size);
      theirs->size = size;
      verify(theirs);
    }
    free(theirs);
  }
  for (int i = 0; i < kBlocks; i++) {
    verify(own[i]);
    free(own[i]);
  }
  return make(10, 'r');
}

int main(void) {
  pthread_t t[kThreads];
  unsigned ids[kThreads];
  for (unsigned i = 0; i < kThreads; i++) {
    ids[i] = i;
    CHECK_RC(pthread_create(&t[i], NULL, body, &ids[i]), 0);
  }
  for (int i = 0; i < kThreads; i++) {
    void* made = NULL;
    CHECK_RC(pthread_join(t[i], &made), 0);
    verify(made);
    free(made);
  }
  for (int i = 0; i < kSlots; i++) {
    if (slots[i]) verify(slots[i]);
    free(slots[i]);
  }
  return check_passed("heap_threads");
}

// SPDX-License-Identifier: Apache-2.0
