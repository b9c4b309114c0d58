// build: -latomic
// The __atomic and __sync built-ins on ordinary variables of 1 to 16 bytes shared by threads: sums,
// CAS loops, locks.
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#include "../check.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Watomic-alignment"
#endif

enum { kThreads = 4, kRounds = 50 };

typedef unsigned __int128 u128;

#define SHARED(bits, type)                                                                     \
  static type sum##bits, cas##bits, bits_set##bits, swap##bits;                                \
  static void work##bits(unsigned id) {                                                        \
    for (int i = 0; i < kRounds; i++) {                                                        \
      __atomic_fetch_add(&sum##bits, 1, __ATOMIC_RELAXED);                                     \
      type old = __atomic_load_n(&cas##bits, __ATOMIC_ACQUIRE);                                \
      while (!__atomic_compare_exchange_n(&cas##bits, &old, (type)(old + 1), i % 2,            \
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {               \
      }                                                                                        \
    }                                                                                          \
    type before = __atomic_fetch_or(&bits_set##bits, (type)((type)1 << id), __ATOMIC_SEQ_CST); \
    CHECK((before & ((type)1 << id)) == 0);                                                    \
    type got = __atomic_exchange_n(&swap##bits, (type)(id + 1), __ATOMIC_ACQ_REL);             \
    CHECK(got != (type)(id + 1) && got <= kThreads);                                           \
  }                                                                                            \
  static void verify##bits(void) {                                                             \
    CHECK_EQ(sum##bits, kThreads* kRounds);                                                    \
    CHECK_EQ(cas##bits, kThreads* kRounds);                                                    \
    CHECK_EQ(bits_set##bits, (1 << kThreads) - 1);                                             \
    CHECK(swap##bits >= 1 && swap##bits <= kThreads);                                          \
  }

SHARED(8, uint8_t)
SHARED(16, uint16_t)
SHARED(32, uint32_t)
SHARED(64, uint64_t)
SHARED(128, u128)

static int lock, guarded;
static uint64_t old_style;

static void* body(void* arg) {
  unsigned id = *(unsigned*)arg;
  work8(id), work16(id), work32(id), work64(id), work128(id);
  for (int i = 0; i < kRounds; i++) {
    while (__sync_lock_test_and_set(&lock, 1)) sched_yield();
    guarded++;
    __sync_lock_release(&lock);
    uint64_t seen;
    do {
      seen = __sync_fetch_and_add(&old_style, 0);
    } while (!__sync_bool_compare_and_swap(&old_style, seen, seen + 2));
  }
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  unsigned ids[kThreads];
  for (unsigned i = 0; i < kThreads; i++) {
    ids[i] = i;
    CHECK_RC(pthread_create(&t[i], NULL, body, &ids[i]), 0);
  }
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  verify8(), verify16(), verify32(), verify64(), verify128();
  CHECK_EQ(guarded, kThreads * kRounds);
  CHECK_EQ(old_style, 2 * kThreads * kRounds);
  return check_passed("atomics_builtins");
}

// SPDX-License-Identifier: Apache-2.0
