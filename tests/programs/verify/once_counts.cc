// What is done once: who does it, and who waits for it.
#include <pthread.h>

#include <atomic>
#include <mutex>

#include "counted.h"

static std::atomic<int> x, calls;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise() { ++calls; }
static void initialise_once(int) { pthread_once(&once, initialise); }
static void initialise_and_store(int i) {
  pthread_once(&once, initialise);
  x = i;
}
static void look_at_calls(int) { calls.load(); }
COUNTED(once) { start_each<initialise_once>(n); }
COUNTED(once_and_store) { start_each<initialise_and_store>(n); }
COUNTED(once_observed) { start_each<initialise_once>(2), start<look_at_calls>(); }

static std::once_flag flag;
static void call_once(int) { std::call_once(flag, initialise); }
static void call_once_and_store(int i) {
  std::call_once(flag, initialise);
  x = i;
}
static void call_once_or_fail(int) {
  try {
    std::call_once(flag, [] {
      if (++calls == 1) throw 1;
    });
  } catch (int) {
  }
}
COUNTED(call_once) { start_each<call_once>(n); }
COUNTED(call_once_and_store) { start_each<call_once_and_store>(n); }
COUNTED(call_once_again) { start_each<call_once_or_fail>(n); }
COUNTED(call_once_observed) { start_each<call_once>(2), start<look_at_calls>(); }

static int& made_at_first_use() {
  static int* const made = new int(++calls);
  return *made;
}
static void use(int) { [[maybe_unused]] const volatile int used = made_at_first_use(); }
COUNTED(local_static) { start_each<use>(n); }

// SPDX-License-Identifier: Apache-2.0
