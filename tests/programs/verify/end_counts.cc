// SPDX-License-Identifier: Apache-2.0
// Threads whose end others ask for, and threads that are left when the program ends.
#include <atomic>
#include <exception>

#include "counted.h"

static std::atomic<int> word;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* returns(void* unused) { return unused; }

static void* writes(void* unused) {
  word = 1;
  return unused;
}

// Not over, then joined; or over.
static bool is_over(pthread_t thread) { return pthread_tryjoin_np(thread, nullptr) == 0; }

COUNTED(tried_join_twice) {
  pthread_t thread;
  pthread_create(&thread, nullptr, returns, nullptr);
  if (!is_over(thread) && !is_over(thread)) pthread_join(thread, nullptr);
}

COUNTED(tried_join_and_look) {
  pthread_t thread;
  pthread_create(&thread, nullptr, writes, nullptr);
  static_cast<void>(word.load());
  if (!is_over(thread)) pthread_join(thread, nullptr);
}

COUNTED(tried_join) {
  pthread_t thread;
  pthread_create(&thread, nullptr, writes, nullptr);
  if (!is_over(thread)) {
    static_cast<void>(word.load());
    pthread_join(thread, nullptr);
  }
}

static void leave(void* (*run)(void*)) {
  pthread_t thread;
  pthread_create(&thread, nullptr, run, nullptr);
  pthread_detach(thread);
}

// The end comes before the thread begins, before it writes, or later; the load before or after.
COUNTED(left) {
  leave(writes);
  static_cast<void>(word.load());
}

static void* writes_and_locks(void* unused) {
  word = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

// The first runs leave nobody: the thread goes on while main waits.
COUNTED(left_behind) {
  leave(writes_and_locks);
  while (word == 0) {
  }
}

static void* adds(void* unused) {
  ++word;
  return unused;
}

COUNTED(left_each) {
  for (int i = 0; i < n; ++i) leave(adds);
  static_cast<void>(word.load());
}

static void* exits(void*) {
  word = 1;
  std::exit(0);
}

// Both end the program, and either may be first.
COUNTED(two_exits) {
  leave(exits);
  static_cast<void>(word.load());
}

// Main ends as a thread. Whoever is the last ends the program, and runs what is left to run then.
COUNTED(main_is_a_thread) {
  leave(returns);
  pthread_exit(nullptr);
}

COUNTED(main_is_a_thread_and_looks) {
  leave(writes);
  static_cast<void>(word.load());
  pthread_exit(nullptr);
}

static thread_local int own;
static void ends_elsewhere() {
  if (own == 1) std::abort();
}

COUNTED(last_thread_runs_handlers) {
  own = 1;
  std::atexit(ends_elsewhere);
  leave(returns);
  pthread_exit(nullptr);
}

static int handlers;
static void first_handler() { ++handlers; }
static void second_handler() { handlers *= 2; }
static void register_first(int) { std::atexit(first_handler); }
static void register_second(int) { std::atexit(second_handler); }

// The handler that is registered last runs first.
COUNTED(registered_handlers) {
  start<register_first>();
  start<register_second>();
}

static void set_terminate(int) { std::set_terminate(std::abort); }
COUNTED(sets_terminate) { start_each<set_terminate>(2); }

// A thread that asks until it hears it waits: rounds in which it does not are left out.
COUNTED(tried_join_until) {
  pthread_t thread;
  pthread_create(&thread, nullptr, writes, nullptr);
  while (!is_over(thread)) {
  }
  static_cast<void>(word.load());
}
