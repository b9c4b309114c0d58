// Mutexes, with and without deadlocks.
#include <errno.h>
#include <semaphore.h>

#include <atomic>
#include <mutex>

#include "counted.h"

static std::mutex mutexes[8];
static std::mutex& mutex = mutexes[0];
static std::recursive_mutex again;
static std::atomic<int> x, y;
static int guarded;

static void increment() {
  const int before = x;
  x = before + 1;
}

static void lock_and_increment(int) {
  const std::lock_guard lock(mutex);
  increment();
}
COUNTED(lockinc) { start_each<lock_and_increment>(n); }

static void increment_twice_locked(int) {
  const std::lock_guard lock(again);
  ++guarded;
  const std::lock_guard inner(again);
  ++guarded;
}
COUNTED(recursive) { start_each<increment_twice_locked>(n); }

static void increment_if_free(int) {
  if (!mutex.try_lock()) return;
  increment();
  mutex.unlock();
}
COUNTED(trylock) { start_each<increment_if_free>(n); }

static void locks_and_races(int i) {
  mutex.lock();
  increment();
  mutex.unlock();
  y.load();
  y = i;
  mutex.lock();
  mutex.unlock();
}
COUNTED(mixed) { start_each<locks_and_races>(n); }

// Whoever has it first ends with it. Who comes next is told, and does not repair it: nobody gets it
// any more.
static pthread_mutex_t robust;
static void end_with_it(int) { pthread_mutex_lock(&robust); }
static void lock_what_is_left(int) {
  if (pthread_mutex_lock(&robust) != ENOTRECOVERABLE) pthread_mutex_unlock(&robust);
}
COUNTED(not_recoverable) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  start<end_with_it>();
  start_each<lock_what_is_left>(n);
}

// They have nothing to do with each other.
static int own[8];
static void lock_own(int i) {
  const std::lock_guard lock(mutexes[i]);
  ++own[i];
}
COUNTED(own_mutexes) { start_each<lock_own>(n); }

static void both(std::mutex& first, std::mutex& second) {
  const std::lock_guard one(first);
  const std::lock_guard two(second);
}
static void first_then_second(int) { both(mutexes[0], mutexes[1]); }
static void second_then_first(int) { both(mutexes[1], mutexes[0]); }
COUNTED(abba) { start<first_then_second>(), start<second_then_first>(); }

static int philosopher_count;
static void eat(int i) { both(mutexes[i], mutexes[(i + 1) % philosopher_count]); }
COUNTED(philosophers) {
  philosopher_count = n;
  start_each<eat>(n);
}

static void both_at_once(int i) { const std::scoped_lock lock(mutexes[i], mutexes[1 - i]); }
COUNTED(scoped_lock) { start_each<both_at_once>(2); }

static void eat_at_once(int i) {
  const std::scoped_lock lock(mutexes[i], mutexes[(i + 1) % philosopher_count]);
}
COUNTED(polite_philosophers) {
  philosopher_count = n;
  start_each<eat_at_once>(n);
}

static void at_once_or_in_order(int i) {
  if (i != 0) return both(mutexes[1], mutexes[0]);
  const std::scoped_lock lock(mutexes[0], mutexes[1]);
}
COUNTED(scoped_against_plain) { start_each<at_once_or_in_order>(2); }

// What std::lock takes at once is no circle by itself, but what the thread has already is part of
// one.
static void at_once_and_before(int i) {
  if (i != 0) return both(mutexes[1], mutexes[2]);
  const std::lock_guard before(mutexes[2]);
  const std::scoped_lock lock(mutexes[0], mutexes[1]);
}
COUNTED(scoped_deadlock) { start_each<at_once_and_before>(2); }

// What a type of the program does when it is not to be had is not left out.
struct Counting {
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
  bool try_lock() {
    if (mutex.try_lock()) return true;
    ++missed;
    return false;
  }
  std::mutex mutex;
  static inline std::atomic<int> missed;
};
static Counting counting[2];
static void both_counting(int i) { const std::scoped_lock lock(counting[i], counting[1 - i]); }
COUNTED(scoped_counting) { start_each<both_counting>(2); }

// Somebody else meets what is left out.
static void at_once_and_tried(int i) {
  if (i < 2) return both_at_once(i);
  if (!mutex.try_lock()) return;
  mutex.unlock();
}
COUNTED(scoped_and_tried) { start_each<at_once_and_tried>(3); }

// Whoever comes in the wrong place keeps the mutex.
static void unlock_in_turn(int i) {
  mutex.lock();
  if (guarded++ == i) mutex.unlock();
}
COUNTED(mutex_hard) { start_each<unlock_in_turn>(n); }

static sem_t never_posted;
static void last_stops(int is_last) {
  mutex.lock();
  increment();
  if (is_last) sem_wait(&never_posted);
  mutex.unlock();
}
COUNTED(deadlock_one) {
  for (int i = 0; i < n; ++i) start<last_stops>(i == n - 1);
}

// SPDX-License-Identifier: Apache-2.0
