// SPDX-License-Identifier: Apache-2.0
// A pool of two threads and three jobs: all are done when thpool_wait returns, and the pool is given back.
#undef NDEBUG
#include <assert.h>
#include <cthreadpool/thpool.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void work(void* by) {
  pthread_mutex_lock(&lock);
  done += *(int*)by;
  pthread_mutex_unlock(&lock);
}

int main(void) {
  int one = 1, two = 2;
  threadpool pool = thpool_init(2);
  thpool_add_work(pool, work, &one);
  thpool_add_work(pool, work, &two);
  thpool_add_work(pool, work, &one);
  thpool_wait(pool);
  pthread_mutex_lock(&lock);
  assert(done == 4);
  pthread_mutex_unlock(&lock);
  thpool_destroy(pool);
}
