// Litmus tests whose forbidden outcome no execution may show: message passing, store buffering,
// load buffering, coherence, independent reads of independent writes; with orders and with fences.
#include <pthread.h>
#include <stdatomic.h>

#include "../check.h"

enum { kRounds = 30 };

static atomic_int x, y;
static int plain;
static int r[4];

#define STORE(v, order) atomic_store_explicit(&v, 1, memory_order_##order)
#define LOAD(v, order) atomic_load_explicit(&v, memory_order_##order)

static void* mp_write(void* a) {
  plain = 7;
  STORE(x, release);
  return a;
}
static void* mp_read(void* a) {
  if (LOAD(x, acquire)) CHECK_EQ(plain, 7);
  return a;
}

static void* mpf_write(void* a) {
  STORE(y, relaxed);
  atomic_thread_fence(memory_order_release);
  STORE(x, relaxed);
  return a;
}
static void* mpf_read(void* a) {
  r[0] = LOAD(x, relaxed);
  atomic_thread_fence(memory_order_acquire);
  r[1] = LOAD(y, relaxed);
  CHECK(!(r[0] == 1 && r[1] == 0));
  return a;
}

static void* sb_1(void* a) {
  STORE(x, seq_cst);
  r[0] = LOAD(y, seq_cst);
  return a;
}
static void* sb_2(void* a) {
  STORE(y, seq_cst);
  r[1] = LOAD(x, seq_cst);
  return a;
}

static void* sbf_1(void* a) {
  STORE(x, relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  r[0] = LOAD(y, relaxed);
  return a;
}
static void* sbf_2(void* a) {
  STORE(y, relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  r[1] = LOAD(x, relaxed);
  return a;
}

static void* lb_1(void* a) {
  r[0] = LOAD(x, acquire);
  STORE(y, release);
  return a;
}
static void* lb_2(void* a) {
  r[1] = LOAD(y, acquire);
  STORE(x, release);
  return a;
}

static void* co_write(void* a) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  return a;
}
static void* co_read(void* a) {
  int first = LOAD(x, relaxed), second = LOAD(x, relaxed);
  CHECK(first <= second);  // 0, 1, 2 in this order
  return a;
}

static void* iriw_x(void* a) {
  STORE(x, seq_cst);
  return a;
}
static void* iriw_y(void* a) {
  STORE(y, seq_cst);
  return a;
}
static void* iriw_xy(void* a) {
  r[0] = LOAD(x, seq_cst);
  r[1] = LOAD(y, seq_cst);
  return a;
}
static void* iriw_yx(void* a) {
  r[2] = LOAD(y, seq_cst);
  r[3] = LOAD(x, seq_cst);
  return a;
}

static void run(int n, void* (*const bodies[])(void*)) {
  pthread_t t[4];
  atomic_store(&x, 0);
  atomic_store(&y, 0);
  plain = 0;
  for (int i = 0; i < n; i++) CHECK_RC(pthread_create(&t[i], NULL, bodies[i], NULL), 0);
  for (int i = 0; i < n; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
}
#define RUN(...)                                                 \
  run(sizeof((void* (*[])(void*)){__VA_ARGS__}) / sizeof(void*), \
      (void* (*const[])(void*)){__VA_ARGS__})

int main(void) {
  for (int i = 0; i < kRounds; i++) {
    RUN(mp_write, mp_read, mp_read);
    RUN(mpf_write, mpf_read);
    RUN(sb_1, sb_2);
    CHECK(r[0] == 1 || r[1] == 1);
    RUN(sbf_1, sbf_2);
    CHECK(r[0] == 1 || r[1] == 1);
    RUN(lb_1, lb_2);
    CHECK(!(r[0] == 1 && r[1] == 1));
    RUN(co_write, co_read, co_read);
    RUN(iriw_x, iriw_y, iriw_xy, iriw_yx);
    CHECK(!(r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0));
  }
  return check_passed("atomics_litmus");
}

// SPDX-License-Identifier: Apache-2.0
