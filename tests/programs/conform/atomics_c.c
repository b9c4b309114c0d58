// build: -latomic
// <stdatomic.h> in C: every generic function, _Atomic of scalars, pointers, structs of 1 to 16
// bytes, and larger.
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../check.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Watomic-alignment"
#endif

enum { kThreads = 4, kRounds = 50 };

static atomic_char c8;
static atomic_short c16;
static atomic_int c32;
static atomic_llong c64;
static _Atomic unsigned __int128 c128;
static _Atomic double real;
static atomic_bool flag;

struct pair {
  int32_t a, b;
};
struct big {
  int64_t w[4];
};
static _Atomic struct pair pair;
static _Atomic struct big big;

static void* add(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    c8++;
    atomic_fetch_add_explicit(&c16, 2, memory_order_relaxed);
    c32 += 3;
    atomic_fetch_sub(&c64, 4);
    c128 += ((unsigned __int128)1 << 64) + 1;
    real += 0.5;
    struct pair old = atomic_load(&pair), next;
    do {
      CHECK_EQ(old.a, -old.b);
      next.a = old.a + 1;
      next.b = -next.a;
    } while (!atomic_compare_exchange_weak(&pair, &old, next));
    struct big seen = atomic_load(&big), more;
    do {
      for (int k = 1; k < 4; k++) CHECK_EQ(seen.w[k], seen.w[0]);
      for (int k = 0; k < 4; k++) more.w[k] = seen.w[k] + 1;
    } while (!atomic_compare_exchange_strong(&big, &seen, more));
  }
  return NULL;
}

static void basics(void) {
  atomic_int x = ATOMIC_VAR_INIT(5);
  atomic_init(&x, 6);
  CHECK_EQ(atomic_load(&x), 6);
  CHECK_EQ(atomic_exchange(&x, 7), 6);
  int want = 1;
  CHECK(!atomic_compare_exchange_strong(&x, &want, 9));
  CHECK_EQ(want, 7);
  CHECK(atomic_compare_exchange_strong_explicit(&x, &want, 9, memory_order_release,
                                                memory_order_relaxed));
  CHECK_EQ(atomic_fetch_or(&x, 6), 9);
  CHECK_EQ(atomic_fetch_and(&x, 12), 15);
  CHECK_EQ(atomic_fetch_xor_explicit(&x, 5, memory_order_acq_rel), 12);
  CHECK_EQ(x, 9);
  x *= 3;
  x <<= 1;
  x /= 2;
  CHECK_EQ(x--, 27);
  CHECK_EQ(++x, 27);
  CHECK(atomic_is_lock_free(&x));
  int array[3] = {10, 20, 30};
  int* _Atomic p = array;
  p++;
  CHECK_EQ(*atomic_exchange(&p, array + 2), 20);
  CHECK_EQ(*atomic_load(&p), 30);
  atomic_flag f = ATOMIC_FLAG_INIT;
  CHECK(!atomic_flag_test_and_set(&f));
  CHECK(atomic_flag_test_and_set_explicit(&f, memory_order_acquire));
  atomic_flag_clear_explicit(&f, memory_order_release);
  CHECK(!atomic_exchange(&flag, 1));
  CHECK(flag);
}

int main(void) {
  basics();
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, add, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  const int n = kThreads * kRounds;
  CHECK_EQ((unsigned char)c8, n);
  CHECK_EQ(c16, 2 * n);
  CHECK_EQ(c32, 3 * n);
  CHECK_EQ(c64, -4 * n);
  CHECK_EQ((uint64_t)c128, n);
  CHECK_EQ((uint64_t)(c128 >> 64), n);
  CHECK(real == n * 0.5);
  struct pair last_pair = atomic_load(&pair);
  struct big last_big = atomic_load(&big);
  CHECK_EQ(last_pair.a, n);
  CHECK_EQ(last_big.w[3], n);
  return check_passed("atomics_c");
}

// SPDX-License-Identifier: Apache-2.0
