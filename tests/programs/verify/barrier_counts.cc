// Barriers and latches: who is last, and what is on either side.
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <optional>

#include "counted.h"

static pthread_barrier_t rounds;
static std::atomic<int> before, after;

static void arrive(int) { pthread_barrier_wait(&rounds); }
static void arrive_and_count(int) {
  ++before;
  pthread_barrier_wait(&rounds);
  ++after;
}
static void the_serial_one_counts(int) {
  if (pthread_barrier_wait(&rounds) == PTHREAD_BARRIER_SERIAL_THREAD) ++after;
}
static void arrive_twice(int) {
  pthread_barrier_wait(&rounds);
  pthread_barrier_wait(&rounds);
}

COUNTED(barrier) {
  pthread_barrier_init(&rounds, nullptr, n);
  start_each<arrive>(n);
}
COUNTED(barrier_between) {
  pthread_barrier_init(&rounds, nullptr, n);
  start_each<arrive_and_count>(n);
}
COUNTED(barrier_serial) {
  pthread_barrier_init(&rounds, nullptr, n);
  start_each<the_serial_one_counts>(n);
}
COUNTED(barrier_twice) {
  pthread_barrier_init(&rounds, nullptr, n);
  start_each<arrive_twice>(n);
}

static std::optional<std::barrier<>> cxx_barrier;
static void arrive_cxx(int) { cxx_barrier->arrive_and_wait(); }
static void arrive_and_count_cxx(int) {
  ++before;
  cxx_barrier->arrive_and_wait();
  ++after;
}
static void arrive_and_drop(int) { cxx_barrier->arrive_and_drop(); }
COUNTED(cxx_barrier) {
  cxx_barrier.emplace(n);
  start_each<arrive_cxx>(n);
}
COUNTED(cxx_barrier_between) {
  cxx_barrier.emplace(n);
  start_each<arrive_and_count_cxx>(n);
}
COUNTED(cxx_barrier_drop) {
  cxx_barrier.emplace(2);
  start<arrive_cxx>(), start<arrive_and_drop>();
}

static std::latch one(1), two(2);
static void count_down_one(int) { one.count_down(); }
static void wait_for_one(int) {
  one.wait();
  ++after;
}
static void count_down_two(int) { two.count_down(); }
static void wait_for_two(int) { two.wait(); }
static void arrive_at_two(int) { two.arrive_and_wait(); }
static void look_at_one(int) {
  if (one.try_wait()) ++after;
}
COUNTED(latch) { start<count_down_one>(), start<wait_for_one>(); }
COUNTED(latch_two) { start_each<count_down_two>(2), start<wait_for_two>(); }
COUNTED(latch_arrive) { start_each<arrive_at_two>(2); }
COUNTED(latch_try) { start<count_down_one>(), start_each<look_at_one>(n); }

// SPDX-License-Identifier: Apache-2.0
