// FUTEX_WAIT_BITSET and FUTEX_WAKE_BITSET: only matching waiters wake; time-outs are absolute, on
// either clock.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "../check.h"

static _Atomic uint32_t word;
static atomic_int returned[3];

static long futex(int op, uint32_t value, const struct timespec* timeout, uint32_t bits) {
  return syscall(SYS_futex, &word, op | FUTEX_PRIVATE_FLAG, value, timeout, NULL, bits);
}

static void* waiter(void* arg) {
  int k = *(int*)arg;
  CHECK_EQ(futex(FUTEX_WAIT_BITSET, 1, NULL, 1u << k), 0);
  atomic_store(&returned[k], 1);
  return NULL;
}

static void wake_exactly(int k) {
  while (futex(FUTEX_WAKE_BITSET, INT_MAX, NULL, 1u << k) == 0) sched_yield();
}

static struct timespec after_ms(clockid_t clock, long ms) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  t.tv_nsec += ms * 1000000L;
  t.tv_sec += t.tv_nsec / 1000000000L;
  t.tv_nsec %= 1000000000L;
  return t;
}

static void times_out(int op, clockid_t clock) {
  struct timespec when = after_ms(clock, 3), now, past = {0, 1};
  CHECK_ERRNO(futex(op, 1, &when, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
  CHECK_OK(clock_gettime(clock, &now));
  CHECK(now.tv_sec > when.tv_sec || (now.tv_sec == when.tv_sec && now.tv_nsec >= when.tv_nsec));
  CHECK_ERRNO(futex(op, 1, &past, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
  CHECK_ERRNO(futex(op, 2, &past, FUTEX_BITSET_MATCH_ANY), EAGAIN);
}

int main(void) {
  atomic_store(&word, 1);
  CHECK_ERRNO(futex(FUTEX_WAIT_BITSET, 1, NULL, 0), EINVAL);
  CHECK_ERRNO(futex(FUTEX_WAKE_BITSET, 1, NULL, 0), EINVAL);
  CHECK_ERRNO(futex(FUTEX_WAIT_BITSET, 5, NULL, 1), EAGAIN);
  times_out(FUTEX_WAIT_BITSET, CLOCK_MONOTONIC);
  times_out(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, CLOCK_REALTIME);

  for (int round = 0; round < 5; round++) {
    pthread_t t[3];
    int ids[3];
    for (int k = 0; k < 3; k++) {
      ids[k] = k;
      atomic_store(&returned[k], 0);
      CHECK_RC(pthread_create(&t[k], NULL, waiter, &ids[k]), 0);
    }
    // In an order of our own, and nobody else wakes with it.
    wake_exactly(2);
    CHECK_RC(pthread_join(t[2], NULL), 0);
    CHECK_EQ(atomic_load(&returned[0]) + atomic_load(&returned[1]), 0);
    wake_exactly(0);
    CHECK_RC(pthread_join(t[0], NULL), 0);
    CHECK_EQ(atomic_load(&returned[1]), 0);
    CHECK_EQ(futex(FUTEX_WAKE_BITSET, INT_MAX, NULL, ~2u), 0);
    while (futex(FUTEX_WAKE, INT_MAX, NULL, 0) == 0) sched_yield();  // plain wake matches any
    CHECK_RC(pthread_join(t[1], NULL), 0);
  }
  return check_passed("futex_bitset");
}

// SPDX-License-Identifier: Apache-2.0
