// A download accelerator: two threads fetch the two halves of a file, chunk by chunk; a third one
// saves how far they have come when the download is interrupted, so that it can be resumed.
//
// Wrong: a worker moves its own position first and adds to the common total later, and the thread
// that saves takes no lock at all.
// Shown when: the state is saved while a worker is between its position and the total, or goes on
// between the two looks of the thread that saves: the positions do not add up to the total.
// Failure: assert.
// From: "CB/aget-bug2" of SCTBench and the reads-from fuzzer paper: aget's resume log. The tables
// only name it; this is our reading.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { kWorkers = 2, kChunk = 4, kChunks = 3, kPart = kChunk * kChunks };

static const char remote[] = "the quick brown fox jump";
static char local[kWorkers * kPart];

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static int position[kWorkers];

static struct {
  int total;
  int position[kWorkers];
} resume_log;

static void* fetch(void* arg) {
  const int me = (int)((int*)arg - position);
  for (int chunk = 0; chunk < kChunks; chunk++) {
    const int from = me * kPart + position[me];
    memcpy(local + from, remote + from, kChunk);
#ifdef FIXED
    pthread_mutex_lock(&total_lock);
    position[me] += kChunk;
#else
    position[me] += kChunk;
    pthread_mutex_lock(&total_lock);
#endif
    total += kChunk;
    pthread_mutex_unlock(&total_lock);
  }
  return NULL;
}

static void* save_log(void* arg) {
#ifdef FIXED
  pthread_mutex_lock(&total_lock);
#endif
  resume_log.total = total;
  for (int i = 0; i < kWorkers; i++) resume_log.position[i] = position[i];
#ifdef FIXED
  pthread_mutex_unlock(&total_lock);
#endif
  return arg;
}

int main(void) {
  pthread_t workers[kWorkers], saver;
  for (int i = 0; i < kWorkers; i++) pthread_create(&workers[i], NULL, fetch, &position[i]);
  pthread_create(&saver, NULL, save_log, NULL);
  for (int i = 0; i < kWorkers; i++) pthread_join(workers[i], NULL);
  pthread_join(saver, NULL);
  assert(memcmp(local, remote, sizeof local) == 0);
  int sum = 0;
  for (int i = 0; i < kWorkers; i++) sum += resume_log.position[i];
  assert(sum == resume_log.total);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
