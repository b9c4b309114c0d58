// Condition variables: who waits before the signal, who comes after it, whom it wakes.
#include <condition_variable>
#include <mutex>
#include <utility>

#include "counted.h"

static std::mutex mutex;
static std::condition_variable changed;
static int ready, taken;

static void wait_until_ready(int) {
  std::unique_lock lock(mutex);
  while (ready == 0) changed.wait(lock);
  --ready;
}
static void make_ready(int) {
  const std::lock_guard lock(mutex);
  ++ready;
  changed.notify_one();
}
static void make_ready_then_notify(int) {
  {
    const std::lock_guard lock(mutex);
    ++ready;
  }
  changed.notify_one();
}
static void make_all_ready(int n) {
  const std::lock_guard lock(mutex);
  ready += n;
  changed.notify_all();
}

COUNTED(signal_one) { start<wait_until_ready>(), start<make_ready>(); }
COUNTED(signal_unlocked) { start<wait_until_ready>(), start<make_ready_then_notify>(); }
COUNTED(signal_each) { start_each<wait_until_ready>(n), start_each<make_ready>(n); }
COUNTED(broadcast) { start_each<wait_until_ready>(n), start<make_all_ready>(n); }

// Two waiters, and one signal for each: which is woken first is a choice.
static void take_what_comes(int i) {
  std::unique_lock lock(mutex);
  while (ready == 0) changed.wait(lock);
  --ready;
  taken = i;
}
COUNTED(who_is_woken) { start_each<take_what_comes>(2), start<make_ready>(), start<make_ready>(); }

// Hand in hand.
static void alternate(int me) {
  for (int i = 0; i < 2; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [me] { return ready == me; });
    ready = 1 - me;
    changed.notify_all();
  }
}
COUNTED(alternate) { start_each<alternate>(2); }

// A signal before the wait is lost: deadlock in some.
static void wait_without_looking(int) {
  std::unique_lock lock(mutex);
  changed.wait(lock);
}
static void notify_only(int) { changed.notify_one(); }
COUNTED(lost_signal) { start<wait_without_looking>(), start<notify_only>(); }

// Notified by the library, when the thread is over.
static void make_ready_at_its_end(int) {
  std::unique_lock lock(mutex);
  ++ready;
  std::notify_all_at_thread_exit(changed, std::move(lock));
}
COUNTED(at_thread_exit) { start<wait_until_ready>(), start<make_ready_at_its_end>(); }

// SPDX-License-Identifier: Apache-2.0
