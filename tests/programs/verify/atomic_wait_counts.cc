// std::atomic::wait and its notifications.
#include <atomic>

#include "counted.h"

static std::atomic<int> word, x;
static std::atomic<bool> narrow;
static std::atomic_flag flag;

static void wait_for_change(int) { word.wait(0); }
static void wait_and_count(int) {
  word.wait(0);
  ++x;
}
static void store_and_notify(int) {
  word = 1;
  word.notify_one();
}
static void store_and_notify_all(int) {
  word = 1;
  word.notify_all();
}
static void notify_only(int) { word.notify_one(); }
static void count_one(int) { ++x; }
static void wait_narrow(int) { narrow.wait(false); }
static void notify_narrow(int) {
  narrow = true;
  narrow.notify_one();
}
static void wait_flag(int) { flag.wait(false); }
static void set_flag(int) {
  flag.test_and_set();
  flag.notify_one();
}

COUNTED(atomic_wait) { start<wait_for_change>(), start<store_and_notify>(); }
COUNTED(atomic_wait_and_count) {
  start<wait_and_count>(), start<store_and_notify>(), start<count_one>();
}
COUNTED(atomic_wait_all) { start_each<wait_for_change>(n), start<store_and_notify_all>(); }
COUNTED(atomic_wait_narrow) { start<wait_narrow>(), start<notify_narrow>(); }
COUNTED(atomic_flag_wait) { start<wait_flag>(), start<set_flag>(); }

// A notification without a change may come before the wait.
COUNTED(atomic_wait_for_nobody) { start<wait_for_change>(), start<notify_only>(); }

// SPDX-License-Identifier: Apache-2.0
