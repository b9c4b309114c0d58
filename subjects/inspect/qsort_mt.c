// A quicksort that hands one half of each partition to an idle worker of a pool, if there is one.
//
// Wrong: a worker that is found idle is marked busy in another critical section than the one in
// which it was found.
// Shown when: two workers find the same third one idle and both give it a part of the array: the
// second overwrites the first, which nobody sorts, and the count of parts never comes to zero.
// Failure: deadlock (main waits for the lost part).
// From: "Inspect/qsort_mt" of SCTBench and the reads-from fuzzer paper.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { kWorkers = 3, kElements = 24, kSmall = 2 };

struct part {
  int* begin;
  int* end;
};

struct worker {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct part part;
  bool busy, quit;
};

static struct worker pool[kWorkers];
static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int parts_open;

static void swap(int* a, int* b) {
  const int old = *a;
  *a = *b;
  *b = old;
}

// A worker without work, or null.
static struct worker* find_idle(void) {
  for (int i = 0; i < kWorkers; i++) {
    struct worker* w = &pool[i];
    pthread_mutex_lock(&w->lock);
    const bool idle = !w->busy;
#ifdef FIXED
    if (idle) w->busy = true;
#endif
    pthread_mutex_unlock(&w->lock);
    if (idle) return w;
  }
  return NULL;
}

static void give(struct worker* w, struct part part) {
  pthread_mutex_lock(&done_lock);
  parts_open++;
  pthread_mutex_unlock(&done_lock);
  pthread_mutex_lock(&w->lock);
  w->part = part;
  w->busy = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

static void insertion_sort(struct part part) {
  for (int* i = part.begin; i < part.end; i++) {
    for (int* j = i; j > part.begin && j[-1] > j[0]; j--) swap(j - 1, j);
  }
}

static void sort(struct part part) {
  while (part.end - part.begin > kSmall) {
    swap(part.begin, part.begin + (part.end - part.begin) / 2);
    const int pivot = part.begin[0];
    int* middle = part.begin;
    for (int* i = part.begin + 1; i < part.end; i++) {
      if (*i < pivot) swap(++middle, i);
    }
    swap(part.begin, middle);
    const struct part lower = {part.begin, middle};
    part.begin = middle + 1;
    struct worker* idle = lower.end - lower.begin > kSmall ? find_idle() : NULL;
    if (idle != NULL) {
      give(idle, lower);
    } else {
      sort(lower);
    }
  }
  insertion_sort(part);
}

static void* work(void* arg) {
  struct worker* me = arg;
  pthread_mutex_lock(&me->lock);
  for (;;) {
    while (me->part.begin == NULL && !me->quit) pthread_cond_wait(&me->changed, &me->lock);
    if (me->part.begin == NULL) break;
    const struct part part = me->part;
    me->part.begin = NULL;
    pthread_mutex_unlock(&me->lock);
    sort(part);
    pthread_mutex_lock(&me->lock);
    if (me->part.begin == NULL) me->busy = false;
    pthread_mutex_lock(&done_lock);
    if (--parts_open == 0) pthread_cond_signal(&done);
    pthread_mutex_unlock(&done_lock);
  }
  pthread_mutex_unlock(&me->lock);
  return NULL;
}

int main(void) {
  int array[kElements];
  for (int i = 0; i < kElements; i++) array[i] = i * 7 % kElements;
  for (int i = 0; i < kWorkers; i++) {
    pthread_mutex_init(&pool[i].lock, NULL);
    pthread_cond_init(&pool[i].changed, NULL);
    pthread_create(&pool[i].thread, NULL, work, &pool[i]);
  }
  struct worker* first = find_idle();
  assert(first != NULL);
  give(first, (struct part){array, array + kElements});

  pthread_mutex_lock(&done_lock);
  while (parts_open > 0) pthread_cond_wait(&done, &done_lock);
  pthread_mutex_unlock(&done_lock);
  for (int i = 0; i < kWorkers; i++) {
    pthread_mutex_lock(&pool[i].lock);
    pool[i].quit = true;
    pthread_cond_signal(&pool[i].changed);
    pthread_mutex_unlock(&pool[i].lock);
  }
  for (int i = 0; i < kWorkers; i++) pthread_join(pool[i].thread, NULL);
  for (int i = 0; i + 1 < kElements; i++) assert(array[i] < array[i + 1]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
