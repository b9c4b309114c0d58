// A parallel compressor: a thread reads blocks into a queue, two threads take and compress them,
// main writes the results in order and then tidies up.
//
// Wrong: main deletes the queue when the last block is written. That all blocks are written does
// not mean that the compressing threads have left the queue: they come back to it for more.
// Shown when: a compressing thread comes back to the queue, or wakes up in it, after main has
// deleted it.
// Failure: assert (a deleted queue is used: the program marks what it has deleted).
// From: "CB/pbzip2-0.9.4" of SCTBench and the reads-from fuzzer paper.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { kBlocks = 4, kRoom = 2, kCompressors = 2 };

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t not_empty, not_full;
  int blocks[kRoom];
  int head, used;
  bool closed;   // nothing comes any more
  bool deleted;  // the memory is not really given back, so that its use is seen for certain
};

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
                             .not_empty = PTHREAD_COND_INITIALIZER,
                             .not_full = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t output_grown = PTHREAD_COND_INITIALIZER;
static int output[kBlocks];  // 0: not compressed yet

static void lock_queue(struct queue* q) {
  pthread_mutex_lock(&q->lock);
  assert(!q->deleted);
}

static void wait_in_queue(struct queue* q, pthread_cond_t* condition) {
  pthread_cond_wait(condition, &q->lock);
  assert(!q->deleted);
}

static void put(struct queue* q, int block) {
  lock_queue(q);
  while (q->used == kRoom) wait_in_queue(q, &q->not_full);
  q->blocks[(q->head + q->used++) % kRoom] = block;
  pthread_cond_signal(&q->not_empty);
  pthread_mutex_unlock(&q->lock);
}

static void close_queue(struct queue* q) {
  lock_queue(q);
  q->closed = true;
  pthread_cond_broadcast(&q->not_empty);
  pthread_mutex_unlock(&q->lock);
}

// False when there is nothing left and nothing will come.
static bool take(struct queue* q, int* block) {
  lock_queue(q);
  while (q->used == 0 && !q->closed) wait_in_queue(q, &q->not_empty);
  const bool found = q->used > 0;
  if (found) {
    *block = q->blocks[q->head];
    q->head = (q->head + 1) % kRoom;
    q->used--;
    pthread_cond_signal(&q->not_full);
  }
  pthread_mutex_unlock(&q->lock);
  return found;
}

static void delete_queue(struct queue* q) {
  pthread_mutex_lock(&q->lock);
  q->deleted = true;
  pthread_mutex_unlock(&q->lock);
}

static void* read_file(void* arg) {
  for (int block = 0; block < kBlocks; block++) put(&queue, block);
  close_queue(&queue);
  return arg;
}

static void* compress(void* arg) {
  int block;
  while (take(&queue, &block)) {
    const int compressed = 100 + block;
    pthread_mutex_lock(&output_lock);
    output[block] = compressed;
    pthread_cond_signal(&output_grown);
    pthread_mutex_unlock(&output_lock);
  }
  return arg;
}

static void write_file(void) {
  for (int block = 0; block < kBlocks; block++) {
    pthread_mutex_lock(&output_lock);
    while (output[block] == 0) pthread_cond_wait(&output_grown, &output_lock);
    assert(output[block] == 100 + block);
    pthread_mutex_unlock(&output_lock);
  }
}

int main(void) {
  pthread_t reader, compressors[kCompressors];
  for (int i = 0; i < kCompressors; i++) pthread_create(&compressors[i], NULL, compress, NULL);
  pthread_create(&reader, NULL, read_file, NULL);
  write_file();
  pthread_join(reader, NULL);
#ifdef FIXED
  for (int i = 0; i < kCompressors; i++) pthread_join(compressors[i], NULL);
  delete_queue(&queue);
#else
  delete_queue(&queue);
  for (int i = 0; i < kCompressors; i++) pthread_join(compressors[i], NULL);
#endif
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
