// Raw futexes: EAGAIN when the value differs, ETIMEDOUT, wake counts, private and shared, wake by
// another thread.
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

enum { kThreads = 5 };

static _Atomic uint32_t word;

static long futex(_Atomic uint32_t* at, int op, uint32_t value, const struct timespec* timeout) {
  return syscall(SYS_futex, at, op, value, timeout, NULL, 0);
}

static void* waiter(void* arg) {
  int flag = *(int*)arg;
  while (atomic_load(&word) == 0) {
    long rc = futex(&word, FUTEX_WAIT | flag, 0, NULL);
    CHECK(rc == 0 || errno == EAGAIN || errno == EINTR);
  }
  return NULL;
}

static void wake_all(int flag) {
  pthread_t t[kThreads];
  atomic_store(&word, 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, waiter, &flag), 0);
  atomic_store(&word, 1);
  long woken = futex(&word, FUTEX_WAKE | flag, INT_MAX, NULL);
  CHECK(woken >= 0 && woken <= kThreads);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
}

// Each waits once, whatever it is woken for.
static atomic_int returned;
static void* wait_once(void* arg) {
  int flag = *(int*)arg;
  CHECK_EQ(futex(&word, FUTEX_WAIT | flag, 7, NULL), 0);
  atomic_fetch_add(&returned, 1);
  return NULL;
}

static void wake_counted(int flag) {
  pthread_t t[kThreads];
  atomic_store(&word, 7);
  atomic_store(&returned, 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, wait_once, &flag), 0);
  int woken = 0;
  while (woken < kThreads) {  // they arrive one by one; no wake may be lost or counted twice
    long n = futex(&word, FUTEX_WAKE | flag, 2, NULL);
    CHECK(n >= 0 && n <= 2);
    woken += (int)n;
    CHECK(atomic_load(&returned) <= woken);
    sched_yield();
  }
  CHECK_EQ(woken, kThreads);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(atomic_load(&returned), kThreads);
  CHECK_EQ(futex(&word, FUTEX_WAKE | flag, INT_MAX, NULL), 0);
}

int main(void) {
  for (int k = 0; k < 2; k++) {
    int flag = k ? FUTEX_PRIVATE_FLAG : 0;
    atomic_store(&word, 3);
    CHECK_ERRNO(futex(&word, FUTEX_WAIT | flag, 4, NULL), EAGAIN);
    CHECK_EQ(futex(&word, FUTEX_WAKE | flag, 1, NULL), 0);
    struct timespec zero = {0, 0}, little = {0, 3000000}, bad = {0, 1000000000L}, before, after;
    CHECK_ERRNO(futex(&word, FUTEX_WAIT | flag, 3, &zero), ETIMEDOUT);
    CHECK_ERRNO(futex(&word, FUTEX_WAIT | flag, 3, &bad), EINVAL);
    CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &before));
    CHECK_ERRNO(futex(&word, FUTEX_WAIT | flag, 3, &little), ETIMEDOUT);
    CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &after));
    CHECK((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >=
          3000000);
    CHECK_ERRNO(futex((_Atomic uint32_t*)((char*)&word + 1), FUTEX_WAKE | flag, 1, NULL), EINVAL);
    for (int round = 0; round < 5; round++) {
      wake_all(flag);
      wake_counted(flag);
    }
  }
  CHECK_ERRNO(futex(&word, 77, 0, NULL), ENOSYS);
  return check_passed("futex_basic");
}

// SPDX-License-Identifier: Apache-2.0
