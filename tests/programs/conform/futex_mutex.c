// A mutex and a semaphore built on futexes the way run-time libraries build them.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 100 };

static _Atomic uint32_t state;  // 0 free, 1 held, 2 held and contended
static int counter;

static void lock(void) {
  uint32_t c = 0;
  if (atomic_compare_exchange_strong_explicit(&state, &c, 1, memory_order_acquire,
                                              memory_order_relaxed))
    return;
  if (c != 2) c = atomic_exchange_explicit(&state, 2, memory_order_acquire);
  while (c != 0) {
    syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    c = atomic_exchange_explicit(&state, 2, memory_order_acquire);
  }
}

static void unlock(void) {
  if (atomic_exchange_explicit(&state, 0, memory_order_release) == 2)
    syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static _Atomic uint32_t tickets;
static void post(void) {
  atomic_fetch_add_explicit(&tickets, 1, memory_order_release);
  syscall(SYS_futex, &tickets, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void take(void) {
  for (;;) {
    uint32_t n = atomic_load_explicit(&tickets, memory_order_relaxed);
    while (n > 0) {
      if (atomic_compare_exchange_weak_explicit(&tickets, &n, n - 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    }
    syscall(SYS_futex, &tickets, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  }
}

static void* body(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    lock();
    counter++;
    unlock();
    post();
  }
  for (int i = 0; i < kRounds; i++) take();
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(counter, kThreads * kRounds);
  CHECK_EQ(atomic_load(&tickets), 0);
  CHECK_EQ(atomic_load(&state), 0);
  return check_passed("futex_mutex");
}

// SPDX-License-Identifier: Apache-2.0
