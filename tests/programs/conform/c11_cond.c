// C11 cnd_*: signal, broadcast, timed wait; a small queue.
#include <threads.h>
#include <time.h>

#include "../check.h"

enum { kItems = 100, kConsumers = 3 };

static mtx_t mutex;
static cnd_t cond, back;
static int queue[4], count, taken, sum, go;

static int consumer(void* arg) {
  (void)arg;
  for (;;) {
    CHECK_EQ(mtx_lock(&mutex), thrd_success);
    while (count == 0 && taken < kItems) CHECK_EQ(cnd_wait(&cond, &mutex), thrd_success);
    if (count == 0) break;
    sum += queue[--count];
    if (++taken == kItems) CHECK_EQ(cnd_broadcast(&cond), thrd_success);
    CHECK_EQ(cnd_signal(&back), thrd_success);
    CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  }
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  return 0;
}

static int setter(void* arg) {
  (void)arg;
  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  go = 1;
  CHECK_EQ(cnd_broadcast(&cond), thrd_success);
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  return 0;
}

int main(void) {
  thrd_t t[kConsumers];
  CHECK_EQ(mtx_init(&mutex, mtx_timed), thrd_success);
  CHECK_EQ(cnd_init(&cond), thrd_success);
  CHECK_EQ(cnd_init(&back), thrd_success);

  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  struct timespec past = {1, 0}, soon, now;
  CHECK_EQ(cnd_timedwait(&cond, &mutex, &past), thrd_timedout);
  CHECK_EQ(timespec_get(&soon, TIME_UTC), TIME_UTC);
  soon.tv_nsec += 3000000;
  soon.tv_sec += soon.tv_nsec / 1000000000L;
  soon.tv_nsec %= 1000000000L;
  int rc;
  while ((rc = cnd_timedwait(&cond, &mutex, &soon)) == thrd_success) continue;
  CHECK_EQ(rc, thrd_timedout);
  CHECK_EQ(timespec_get(&now, TIME_UTC), TIME_UTC);
  CHECK(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));

  CHECK_EQ(thrd_create(&t[0], setter, NULL), thrd_success);
  while (!go) {
    CHECK_EQ(timespec_get(&soon, TIME_UTC), TIME_UTC);
    soon.tv_sec += 50;
    rc = cnd_timedwait(&cond, &mutex, &soon);
    CHECK(rc == thrd_success || rc == thrd_timedout);
  }
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  CHECK_EQ(thrd_join(t[0], NULL), thrd_success);

  for (int i = 0; i < kConsumers; i++) CHECK_EQ(thrd_create(&t[i], consumer, NULL), thrd_success);
  for (int i = 1; i <= kItems; i++) {
    CHECK_EQ(mtx_lock(&mutex), thrd_success);
    while (count == 4) CHECK_EQ(cnd_wait(&back, &mutex), thrd_success);
    queue[count++] = i;
    CHECK_EQ(cnd_signal(&cond), thrd_success);
    CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  }
  for (int i = 0; i < kConsumers; i++) CHECK_EQ(thrd_join(t[i], NULL), thrd_success);
  CHECK_EQ(sum, kItems * (kItems + 1) / 2);
  cnd_destroy(&cond);
  cnd_destroy(&back);
  mtx_destroy(&mutex);
  return check_passed("c11_cond");
}

// SPDX-License-Identifier: Apache-2.0
