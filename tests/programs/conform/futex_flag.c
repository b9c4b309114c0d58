// A condition variable built on a futex, and a flag that is a plain variable of the file: it is
// read anew after every wait, whatever the compiler knows of the function that waits.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "../check.h"

enum { kThreads = 2 };

static _Atomic uint32_t mutex, changes;
static int ready, seen;

static void lock(void) {
  while (atomic_exchange(&mutex, 1) != 0)
    syscall(SYS_futex, &mutex, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

static void unlock(void) {
  atomic_store(&mutex, 0);
  syscall(SYS_futex, &mutex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for_change(void) {
  const uint32_t before = atomic_load(&changes);
  atomic_store(&mutex, 0);
  syscall(SYS_futex, &mutex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  syscall(SYS_futex, &changes, FUTEX_WAIT_PRIVATE, before, NULL, NULL, 0);
  while (atomic_exchange(&mutex, 1) != 0)
    syscall(SYS_futex, &mutex, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

static void* waiter(void* unused) {
  lock();
  while (!ready) wait_for_change();
  seen++;
  unlock();
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&threads[i], NULL, waiter, NULL), 0);
  lock();
  ready = 1;
  atomic_fetch_add(&changes, 1);
  syscall(SYS_futex, &changes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  unlock();
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(threads[i], NULL), 0);
  CHECK_EQ(seen, kThreads);
  return check_passed("futex_flag");
}

// SPDX-License-Identifier: Apache-2.0
