// build: -latomic
// Every atomic operation at 1, 2, 4, 8 and 16 bytes with every memory order:
// __tsan_atomic{8,…,128}_load, _store, _exchange, _fetch_{add,sub,and,or,xor,nand},
// _compare_exchange_{strong,weak,val}.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wsync-fetch-and-nand-semantics-changed"
#pragma clang diagnostic ignored \
    "-Watomic-alignment"  // 16 bytes on x86-64 without -mcx16: libatomic
#endif

typedef unsigned __int128 u128;

#define RELAXED __ATOMIC_RELAXED
#define CONSUME __ATOMIC_CONSUME
#define ACQUIRE __ATOMIC_ACQUIRE
#define RELEASE __ATOMIC_RELEASE
#define ACQ_REL __ATOMIC_ACQ_REL
#define SEQ_CST __ATOMIC_SEQ_CST

#define LOAD_STORE(type, cell, load_order, store_order) \
  do {                                                  \
    type v_ = (type)((type)store_order + 40);           \
    type out_;                                          \
    __atomic_store_n(cell, v_, store_order);            \
    CHECK(__atomic_load_n(cell, load_order) == v_);     \
    __atomic_load(cell, &out_, load_order);             \
    CHECK(out_ == v_);                                  \
    v_ = (type)(v_ ^ ones);                             \
    __atomic_store(cell, &v_, store_order);             \
    CHECK(__atomic_load_n(cell, load_order) == v_);     \
  } while (0)

#define READ_MODIFY_WRITE(type, cell, order)                                             \
  do {                                                                                   \
    type v_ = (type)(ones - 5), in_ = 77, out_;                                          \
    __atomic_store_n(cell, v_, RELAXED);                                                 \
    CHECK(__atomic_fetch_add(cell, 9, order) == v_);                                     \
    CHECK(__atomic_fetch_sub(cell, 1, order) == (type)(v_ + 9));                         \
    CHECK(__atomic_load_n(cell, RELAXED) == 2);                                          \
    CHECK(__atomic_fetch_or(cell, 0x51, order) == 2);                                    \
    CHECK(__atomic_fetch_and(cell, 0x13, order) == 0x53);                                \
    CHECK(__atomic_fetch_xor(cell, (type)(ones - 1), order) == 0x13);                    \
    CHECK(__atomic_fetch_nand(cell, 0x0f, order) == (type)(ones - 0x12));                \
    CHECK(__atomic_load_n(cell, RELAXED) == (type)(~(type)((ones - 0x12) & 0x0f)));      \
    CHECK(__atomic_exchange_n(cell, 3, order) == (type)(~(type)((ones - 0x12) & 0x0f))); \
    __atomic_exchange(cell, &in_, &out_, order);                                         \
    CHECK(out_ == 3);                                                                    \
    CHECK(__atomic_add_fetch(cell, 3, order) == 80);                                     \
    CHECK(__atomic_sub_fetch(cell, 16, order) == 64);                                    \
    CHECK(__atomic_or_fetch(cell, 1, order) == 65);                                      \
    CHECK(__atomic_and_fetch(cell, 0x41, order) == 65);                                  \
    CHECK(__atomic_xor_fetch(cell, 1, order) == 64);                                     \
    CHECK(__atomic_nand_fetch(cell, 64, order) == (type)(ones - 64));                    \
  } while (0)

#define COMPARE_EXCHANGE(type, cell, success, failure)                            \
  do {                                                                            \
    type want_ = 1;                                                               \
    __atomic_store_n(cell, 5, RELAXED);                                           \
    CHECK(!__atomic_compare_exchange_n(cell, &want_, 9, 0, success, failure));    \
    CHECK(want_ == 5);                                                            \
    CHECK(__atomic_compare_exchange_n(cell, &want_, 9, 0, success, failure));     \
    CHECK(want_ == 5 && __atomic_load_n(cell, RELAXED) == 9);                     \
    CHECK(!__atomic_compare_exchange_n(cell, &want_, 1, 1, success, failure));    \
    CHECK(want_ == 9);                                                            \
    while (!__atomic_compare_exchange_n(cell, &want_, 11, 1, success, failure)) { \
      CHECK(want_ == 9); /* a weak exchange may fail for no reason */             \
    }                                                                             \
    CHECK(__atomic_load_n(cell, RELAXED) == 11);                                  \
  } while (0)

#define OLD_SYNC(type, cell)                               \
  do {                                                     \
    *cell = 1;                                             \
    CHECK(__sync_fetch_and_add(cell, 2) == 1);             \
    CHECK(__sync_fetch_and_sub(cell, 1) == 3);             \
    CHECK(__sync_fetch_and_or(cell, 5) == 2);              \
    CHECK(__sync_fetch_and_and(cell, 6) == 7);             \
    CHECK(__sync_fetch_and_xor(cell, 2) == 6);             \
    CHECK(__sync_fetch_and_nand(cell, 4) == 4);            \
    CHECK(*cell == (type)(ones - 4));                      \
    CHECK(__sync_add_and_fetch(cell, 5) == 0);             \
    CHECK(__sync_bool_compare_and_swap(cell, 0, 8));       \
    CHECK(!__sync_bool_compare_and_swap(cell, 0, 9));      \
    CHECK(__sync_val_compare_and_swap(cell, 8, 10) == 8);  \
    CHECK(__sync_val_compare_and_swap(cell, 8, 12) == 10); \
    CHECK(__sync_lock_test_and_set(cell, 1) == 10);        \
    __sync_lock_release(cell);                             \
    CHECK(*cell == 0);                                     \
  } while (0)

#define ATOMIC_TESTS(bits, type)                                                   \
  static type shared##bits;                                                        \
  __attribute__((noinline)) static void test##bits(type* cell) {                   \
    const type ones = (type) ~(type)0;                                             \
    LOAD_STORE(type, cell, RELAXED, RELAXED);                                      \
    LOAD_STORE(type, cell, CONSUME, RELAXED);                                      \
    LOAD_STORE(type, cell, ACQUIRE, RELEASE);                                      \
    LOAD_STORE(type, cell, SEQ_CST, SEQ_CST);                                      \
    READ_MODIFY_WRITE(type, cell, RELAXED);                                        \
    READ_MODIFY_WRITE(type, cell, CONSUME);                                        \
    READ_MODIFY_WRITE(type, cell, ACQUIRE);                                        \
    READ_MODIFY_WRITE(type, cell, RELEASE);                                        \
    READ_MODIFY_WRITE(type, cell, ACQ_REL);                                        \
    READ_MODIFY_WRITE(type, cell, SEQ_CST);                                        \
    COMPARE_EXCHANGE(type, cell, RELAXED, RELAXED);                                \
    COMPARE_EXCHANGE(type, cell, CONSUME, RELAXED);                                \
    COMPARE_EXCHANGE(type, cell, ACQUIRE, RELAXED);                                \
    COMPARE_EXCHANGE(type, cell, ACQUIRE, ACQUIRE);                                \
    COMPARE_EXCHANGE(type, cell, RELEASE, RELAXED);                                \
    COMPARE_EXCHANGE(type, cell, ACQ_REL, ACQUIRE);                                \
    COMPARE_EXCHANGE(type, cell, SEQ_CST, RELAXED);                                \
    COMPARE_EXCHANGE(type, cell, SEQ_CST, SEQ_CST);                                \
  }                                                                                \
  static void add##bits(int times) {                                               \
    for (int i = 0; i < times; i++) __atomic_fetch_add(&shared##bits, 1, RELAXED); \
  }

#define SYNC_TESTS(bits, type)                                        \
  __attribute__((noinline)) static void sync_test##bits(type* cell) { \
    const type ones = (type) ~(type)0;                                \
    OLD_SYNC(type, cell);                                             \
  }

ATOMIC_TESTS(8, uint8_t)
ATOMIC_TESTS(16, uint16_t)
ATOMIC_TESTS(32, uint32_t)
ATOMIC_TESTS(64, uint64_t)
ATOMIC_TESTS(128, u128)
SYNC_TESTS(8, uint8_t)
SYNC_TESTS(16, uint16_t)
SYNC_TESTS(32, uint32_t)
SYNC_TESTS(64, uint64_t)
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
SYNC_TESTS(128, u128)
#endif

struct cells {
  uint8_t a;
  uint16_t b;
  uint32_t c;
  uint64_t d;
  u128 e;
};
static struct cells cells[2];

static void* work(void* arg) {
  struct cells* s = arg;
  test8(&s->a), test16(&s->b), test32(&s->c), test64(&s->d), test128(&s->e);
  sync_test8(&s->a), sync_test16(&s->b), sync_test32(&s->c), sync_test64(&s->d);
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
  sync_test128(&s->e);
#endif
  CHECK(!__atomic_test_and_set(&s->a, ACQUIRE));
  CHECK(__atomic_test_and_set(&s->a, SEQ_CST));
  __atomic_clear(&s->a, RELEASE);
  CHECK_EQ(s->a, 0);
  add8(20), add16(20), add32(20), add64(20), add128(20);
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, work, &cells[1]), 0);
  work(&cells[0]);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_EQ(shared8, 40);
  CHECK_EQ(shared16, 40);
  CHECK_EQ(shared32, 40);
  CHECK_EQ(shared64, 40);
  CHECK_EQ(shared128, 40);
  return check_passed("hooks_atomics");
}

// SPDX-License-Identifier: Apache-2.0
