// C11 tss_* with destructors, thread_local, call_once.
#include <stdlib.h>
#include <threads.h>

#include "../check.h"

enum { kThreads = 6 };

static tss_t key, stubborn;
static mtx_t mutex;
static int destroyed, stubborn_runs, once_runs;
static once_flag flag = ONCE_FLAG_INIT;
static thread_local int mine = 4;

static void gone(void* value) {
  CHECK(tss_get(key) == NULL);
  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  destroyed += *(int*)value;
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  free(value);
}

static void again(void* value) {
  stubborn_runs++;
  CHECK_EQ(tss_set(stubborn, value), thrd_success);
}

static void run_once(void) { once_runs++; }

static int body(void* arg) {
  call_once(&flag, run_once);
  CHECK_EQ(once_runs, 1);
  CHECK_EQ(mine, 4);
  mine = 5;
  CHECK(tss_get(key) == NULL);
  int* value = malloc(sizeof *value);
  CHECK(value);
  *value = *(int*)arg;
  CHECK_EQ(tss_set(key, value), thrd_success);
  CHECK(tss_get(key) == value);
  return 0;
}

static int holds_on(void* arg) {
  CHECK_EQ(tss_set(stubborn, arg), thrd_success);
  return 0;
}

int main(void) {
  thrd_t t[kThreads];
  int value[kThreads];
  CHECK_EQ(mtx_init(&mutex, mtx_plain), thrd_success);
  CHECK_EQ(tss_create(&key, gone), thrd_success);
  CHECK_EQ(tss_create(&stubborn, again), thrd_success);
  for (int i = 0; i < kThreads; i++) {
    value[i] = i + 1;
    CHECK_EQ(thrd_create(&t[i], body, &value[i]), thrd_success);
  }
  for (int i = 0; i < kThreads; i++) CHECK_EQ(thrd_join(t[i], NULL), thrd_success);
  CHECK_EQ(destroyed, kThreads * (kThreads + 1) / 2);
  CHECK_EQ(once_runs, 1);
  CHECK_EQ(mine, 4);

  CHECK_EQ(thrd_create(&t[0], holds_on, value), thrd_success);
  CHECK_EQ(thrd_join(t[0], NULL), thrd_success);
  CHECK_EQ(stubborn_runs, TSS_DTOR_ITERATIONS);
  tss_delete(key);
  tss_delete(stubborn);
  CHECK_EQ(tss_create(&key, NULL), thrd_success);
  CHECK(tss_get(key) == NULL);
  tss_delete(key);
  return check_passed("c11_tss");
}

// SPDX-License-Identifier: Apache-2.0
