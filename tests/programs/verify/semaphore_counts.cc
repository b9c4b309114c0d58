// Semaphores of POSIX and of C++.
#include <semaphore.h>

#include <atomic>
#include <semaphore>

#include "counted.h"

static sem_t tokens;
static std::atomic<int> x;
static std::counting_semaphore<4> cxx_tokens(0);
static std::binary_semaphore gate(1);

static void post(int) { sem_post(&tokens); }
static void take(int) { sem_wait(&tokens); }
static void take_and_store(int i) {
  sem_wait(&tokens);
  x = i;
}
static void take_if_there(int) {
  if (sem_trywait(&tokens) == 0) ++x;
}
static void increment_in_turn(int) {
  sem_wait(&tokens);
  const int before = x;
  x = before + 1;
  sem_post(&tokens);
}

COUNTED(semaphore) { start_each<post>(n), start_each<take>(n); }
COUNTED(semaphore_order) { start_each<post>(n), start_each<take_and_store>(n); }
COUNTED(semaphore_try) { start_each<post>(n), start_each<take_if_there>(n); }
COUNTED(semaphore_mutex) {
  sem_init(&tokens, 0, 1);
  start_each<increment_in_turn>(n);
}
COUNTED(semaphore_too_few) { start<post>(), start_each<take>(2); }

static void release(int) { cxx_tokens.release(); }
static void acquire(int) { cxx_tokens.acquire(); }
static void acquire_and_count(int) {
  cxx_tokens.acquire();
  ++x;
}
static void acquire_if_there(int) {
  if (cxx_tokens.try_acquire()) ++x;
}
static void pass_gate(int) {
  gate.acquire();
  const int before = x;
  x = before + 1;
  gate.release();
}
COUNTED(cxx_semaphore) { start_each<release>(n), start_each<acquire>(n); }
COUNTED(cxx_semaphore_one) { start<release>(), start<acquire_and_count>(); }
COUNTED(cxx_semaphore_try) { start<release>(), start_each<acquire_if_there>(n); }
COUNTED(cxx_binary_semaphore) { start_each<pass_gate>(n); }

// SPDX-License-Identifier: Apache-2.0
