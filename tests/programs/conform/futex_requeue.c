// FUTEX_REQUEUE and FUTEX_CMP_REQUEUE: waiters move to another word without waking; the counts tell
// how many.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "../check.h"

enum { kThreads = 5 };

static _Atomic uint32_t first, second;
static atomic_int returned;

static long requeue(int op, int wake, int move, uint32_t expected) {
  return syscall(SYS_futex, &first, op | FUTEX_PRIVATE_FLAG, wake, (unsigned long)move, &second,
                 expected);
}
static long wake(_Atomic uint32_t* at, int n) {
  return syscall(SYS_futex, at, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, n, NULL, NULL, 0);
}

static void* waiter(void* arg) {
  (void)arg;
  CHECK_EQ(syscall(SYS_futex, &first, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 9, NULL, NULL, 0), 0);
  atomic_fetch_add(&returned, 1);
  return NULL;
}

static void start(pthread_t* t) {
  atomic_store(&first, 9);
  atomic_store(&returned, 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, waiter, NULL), 0);
}

int main(void) {
  pthread_t t[kThreads];
  atomic_store(&first, 9);
  CHECK_ERRNO(requeue(FUTEX_CMP_REQUEUE, 1, INT_MAX, 8), EAGAIN);
  CHECK_EQ(requeue(FUTEX_CMP_REQUEUE, 1, INT_MAX, 9), 0);
  CHECK_EQ(requeue(FUTEX_REQUEUE, 1, INT_MAX, 0), 0);

  for (int round = 0; round < 5; round++) {
    // Move all as they arrive, wake none.
    start(t);
    int moved = 0;
    while (moved < kThreads) {
      long n = requeue(round % 2 ? FUTEX_CMP_REQUEUE : FUTEX_REQUEUE, 0, INT_MAX, 9);
      CHECK(n >= 0);
      moved += (int)n;
      sched_yield();
    }
    CHECK_EQ(moved, kThreads);
    CHECK_EQ(atomic_load(&returned), 0);
    CHECK_EQ(wake(&first, INT_MAX), 0);   // nobody is left there
    CHECK_EQ(wake(&second, 2), 2);        // exactly as many as asked
    CHECK_EQ(wake(&second, INT_MAX), 3);  // and the rest
    CHECK_EQ(wake(&second, INT_MAX), 0);
    for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
    CHECK_EQ(atomic_load(&returned), kThreads);

    // Wake one and move one at a time.
    start(t);
    int affected = 0;
    while (affected < kThreads) {
      long n = requeue(FUTEX_CMP_REQUEUE, 1, 1, 9);
      CHECK(n >= 0 && n <= 2);
      affected += (int)n;
      sched_yield();
    }
    CHECK_EQ(affected, kThreads);
    long rest = wake(&second, INT_MAX);
    CHECK(rest >= 0 && rest <= kThreads / 2);
    for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  }
  return check_passed("futex_requeue");
}

// SPDX-License-Identifier: Apache-2.0
