// C11 thrd_*: create, join with result, detach, exit, current, equal, yield, sleep.
#include <threads.h>
#include <time.h>

#include "../check.h"

enum { kThreads = 8 };

static mtx_t mutex;
static cnd_t cond;
static int detached_done;
static int cells[kThreads];

static int body(void* arg) {
  int* cell = arg;
  CHECK_EQ(*cell, 5);
  *cell = 6;
  return (int)(cell - cells) * 3;
}

static int exits(void* arg) {
  (void)arg;
  thrd_exit(-77);
}

static int detached(void* arg) {
  (void)arg;
  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  detached_done++;
  CHECK_EQ(cnd_signal(&cond), thrd_success);
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  return 0;
}

static int store_current(void* arg) {
  *(thrd_t*)arg = thrd_current();
  return 0;
}

int main(void) {
  thrd_t t[kThreads];
  CHECK_EQ(mtx_init(&mutex, mtx_plain), thrd_success);
  CHECK_EQ(cnd_init(&cond), thrd_success);
  for (int i = 0; i < kThreads; i++) {
    cells[i] = 5;
    CHECK_EQ(thrd_create(&t[i], body, &cells[i]), thrd_success);
  }
  for (int i = 0; i < kThreads; i++) {
    int result = -1;
    CHECK(!thrd_equal(t[i], thrd_current()));
    CHECK_EQ(thrd_join(t[i], &result), thrd_success);
    CHECK_EQ(result, i * 3);
    CHECK_EQ(cells[i], 6);
  }

  int result = 0;
  CHECK_EQ(thrd_create(&t[0], exits, NULL), thrd_success);
  CHECK_EQ(thrd_join(t[0], &result), thrd_success);
  CHECK_EQ(result, -77);
  CHECK_EQ(thrd_create(&t[0], body, (cells[0] = 5, &cells[0])), thrd_success);
  CHECK_EQ(thrd_join(t[0], NULL), thrd_success);

  thrd_t seen;
  CHECK_EQ(thrd_create(&t[0], store_current, &seen), thrd_success);
  CHECK_EQ(thrd_join(t[0], NULL), thrd_success);
  CHECK(thrd_equal(seen, t[0]));
  CHECK(thrd_equal(thrd_current(), thrd_current()));

  for (int i = 0; i < 3; i++) {
    CHECK_EQ(thrd_create(&t[i], detached, NULL), thrd_success);
    CHECK_EQ(thrd_detach(t[i]), thrd_success);
  }
  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  while (detached_done < 3) CHECK_EQ(cnd_wait(&cond, &mutex), thrd_success);
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);

  thrd_yield();
  struct timespec before, after, ms = {0, 2000000}, bad = {0, -5};
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &before));
  CHECK_EQ(thrd_sleep(&ms, NULL), 0);
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &after));
  CHECK((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 2000000);
  CHECK(thrd_sleep(&bad, NULL) < -1);
  struct timespec now;
  CHECK_EQ(timespec_get(&now, TIME_UTC), TIME_UTC);
  CHECK(now.tv_sec > 0);
  return check_passed("c11_threads");
}

// SPDX-License-Identifier: Apache-2.0
