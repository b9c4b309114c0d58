// The barrier is right; what is counted behind it is looked at too early.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int arrived, round_number;
static int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void meet(void) {
  const int now = round_number;
  if (atomic_fetch_add(&arrived, 1) == 1) {
    arrived = 0;
    round_number = !now;
  } else {
    while (round_number == now) sched_yield();
  }
}

static void finish(void) {
  pthread_mutex_lock(&lock);
  done++;
  pthread_mutex_unlock(&lock);
}

static void* work(void* unused) {
  meet();
  finish();
  return unused;
}

static void* check(void* unused) {
  meet();
  finish();
  assert(done == 2);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, check, NULL);
  pthread_create(&threads[1], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
