// C11 mtx_*: plain, recursive, timed and both; thrd_busy, thrd_timedout; exclusion.
#include <threads.h>
#include <time.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 50 };

static mtx_t plain, recursive, timed, both;
static int counters[4];

static int add(void* arg) {
  (void)arg;
  mtx_t* all[] = {&plain, &recursive, &timed, &both};
  for (int i = 0; i < kRounds; i++) {
    for (int k = 0; k < 4; k++) {
      CHECK_EQ(mtx_lock(all[k]), thrd_success);
      counters[k]++;
      CHECK_EQ(mtx_unlock(all[k]), thrd_success);
    }
  }
  return 0;
}

static struct timespec after_ms(long ms) {
  struct timespec t;
  CHECK_EQ(timespec_get(&t, TIME_UTC), TIME_UTC);
  t.tv_nsec += ms * 1000000L;
  t.tv_sec += t.tv_nsec / 1000000000L;
  t.tv_nsec %= 1000000000L;
  return t;
}

static int all_held(void* arg) {
  (void)arg;
  CHECK_EQ(mtx_trylock(&plain), thrd_busy);
  CHECK_EQ(mtx_trylock(&recursive), thrd_busy);
  CHECK_EQ(mtx_trylock(&timed), thrd_busy);
  struct timespec past = {1, 0}, soon = after_ms(3), now;
  CHECK_EQ(mtx_timedlock(&timed, &past), thrd_timedout);
  CHECK_EQ(mtx_timedlock(&both, &soon), thrd_timedout);
  CHECK_EQ(timespec_get(&now, TIME_UTC), TIME_UTC);
  CHECK(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
  return 0;
}

static int blocks(void* arg) {
  CHECK_EQ(mtx_lock(&plain), thrd_success);
  CHECK_EQ(*(int*)arg, 1);
  CHECK_EQ(mtx_unlock(&plain), thrd_success);
  return 0;
}

int main(void) {
  thrd_t t[kThreads];
  CHECK_EQ(mtx_init(&plain, mtx_plain), thrd_success);
  CHECK_EQ(mtx_init(&recursive, mtx_plain | mtx_recursive), thrd_success);
  CHECK_EQ(mtx_init(&timed, mtx_timed), thrd_success);
  CHECK_EQ(mtx_init(&both, mtx_timed | mtx_recursive), thrd_success);

  for (int i = 0; i < kThreads; i++) CHECK_EQ(thrd_create(&t[i], add, NULL), thrd_success);
  for (int i = 0; i < kThreads; i++) CHECK_EQ(thrd_join(t[i], NULL), thrd_success);
  for (int k = 0; k < 4; k++) CHECK_EQ(counters[k], kThreads * kRounds);

  struct timespec past = {1, 0};
  CHECK_EQ(mtx_lock(&plain), thrd_success);
  CHECK_EQ(mtx_trylock(&plain), thrd_busy);
  CHECK_EQ(mtx_lock(&recursive), thrd_success);
  CHECK_EQ(mtx_trylock(&recursive), thrd_success);
  CHECK_EQ(mtx_timedlock(&timed, &past), thrd_success);
  CHECK_EQ(mtx_timedlock(&both, &past), thrd_success);
  CHECK_EQ(mtx_timedlock(&both, &past), thrd_success);
  CHECK_EQ(thrd_create(&t[0], all_held, NULL), thrd_success);
  CHECK_EQ(thrd_join(t[0], NULL), thrd_success);

  int stage = 0;
  CHECK_EQ(thrd_create(&t[0], blocks, &stage), thrd_success);
  thrd_yield();
  stage = 1;
  CHECK_EQ(mtx_unlock(&plain), thrd_success);
  CHECK_EQ(thrd_join(t[0], NULL), thrd_success);
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(mtx_unlock(&recursive), thrd_success);
    CHECK_EQ(mtx_unlock(&both), thrd_success);
  }
  CHECK_EQ(mtx_unlock(&timed), thrd_success);
  mtx_destroy(&plain);
  mtx_destroy(&recursive);
  mtx_destroy(&timed);
  mtx_destroy(&both);
  return check_passed("c11_mutex");
}

// SPDX-License-Identifier: Apache-2.0
