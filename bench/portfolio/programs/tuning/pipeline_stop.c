// SPDX-License-Identifier: Apache-2.0
// A pipeline of three stages. The last stage stops when the one before has said that it is done and its own queue looked empty: it
// looks at the queue first, so that what comes between the two looks is lost.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { ITEMS = 3 };
struct stage {
  pthread_mutex_t lock;
  int items[ITEMS], first, last, done;
};
static struct stage in = {.lock = PTHREAD_MUTEX_INITIALIZER}, out = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int received;

static void put(struct stage* stage, int item) {
  pthread_mutex_lock(&stage->lock);
  stage->items[stage->last++] = item;
  pthread_mutex_unlock(&stage->lock);
}
static int get(struct stage* stage) {
  int item = 0;
  pthread_mutex_lock(&stage->lock);
  if (stage->first < stage->last) item = stage->items[stage->first++];
  pthread_mutex_unlock(&stage->lock);
  return item;
}
static int is_done(struct stage* stage) {
  pthread_mutex_lock(&stage->lock);
  const int done = stage->done;
  pthread_mutex_unlock(&stage->lock);
  return done;
}
static void finish(struct stage* stage) {
  pthread_mutex_lock(&stage->lock);
  stage->done = 1;
  pthread_mutex_unlock(&stage->lock);
}

static void* produce(void* unused) {
  for (int i = 1; i <= ITEMS; ++i) put(&in, i);
  finish(&in);
  return unused;
}
static void* convert(void* unused) {
  for (;;) {
    const int done = is_done(&in);
    const int item = get(&in);
    if (item) put(&out, 10 * item);
    else if (done) break;
    else sched_yield();
  }
  finish(&out);
  return unused;
}
static void* consume(void* unused) {
  for (;;) {
    const int item = get(&out);
    if (item) received += item;
    else if (is_done(&out)) break;
    else sched_yield();
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, produce, 0);
  pthread_create(&threads[1], 0, convert, 0);
  pthread_create(&threads[2], 0, consume, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  assert(received == 60);
}
