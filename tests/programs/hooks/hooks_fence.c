// Fences: __tsan_atomic_thread_fence and __tsan_atomic_signal_fence with every order, and
// __sync_synchronize. The message is passed by relaxed accesses with fences around them.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../check.h"

static int payload;
static atomic_int flag;

static void* reader(void* arg) {
  (void)arg;
  while (atomic_load_explicit(&flag, memory_order_relaxed) == 0) sched_yield();
  atomic_thread_fence(memory_order_acquire);
  CHECK_EQ(atomic_load_explicit((_Atomic int*)&payload, memory_order_relaxed), 42);
  return NULL;
}

int main(void) {
  pthread_t t;
  atomic_signal_fence(memory_order_relaxed);
  atomic_signal_fence(memory_order_acquire);
  atomic_signal_fence(memory_order_release);
  atomic_signal_fence(memory_order_acq_rel);
  atomic_signal_fence(memory_order_seq_cst);
  atomic_thread_fence(memory_order_relaxed);
  atomic_thread_fence(memory_order_acq_rel);
  atomic_thread_fence(memory_order_seq_cst);
  __sync_synchronize();
  CHECK_RC(pthread_create(&t, NULL, reader, NULL), 0);
  atomic_store_explicit((_Atomic int*)&payload, 42, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("hooks_fence");
}

// SPDX-License-Identifier: Apache-2.0
