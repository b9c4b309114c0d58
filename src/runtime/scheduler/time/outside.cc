// SPDX-License-Identifier: Apache-2.0
// Other processes act in real time, which has to pass for them while ours is virtual.
#include <sys/syscall.h>
#include <time.h>

#include "src/base/raw_syscall.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/time/external.h"
#include "src/runtime/scheduler/time/timers.h"

namespace jostle::rt {
namespace {

Nanoseconds real_now() {
  timespec now;
  raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&now));
  return now.tv_sec * Nanoseconds{1'000'000'000} + now.tv_nsec;
}

// Processes that say when they have nothing to do are not waited for in vain: they get so much in
// any case.
constexpr Nanoseconds kLeastOfFamily = 100'000'000;

}  // namespace

// Nobody can run. What has come from outside by now counts before a timer does, which may come
// again and again.
bool Scheduler::outside_has_acted(uint32_t enabled_before) {
  if (external_waiters_ == 0 || !wait_for_external_events(0)) return false;
  poll_external();
  return enabled_.count() > enabled_before;
}

// Nobody can run, and time is about to jump. Processes outside get that much real time first, as
// long as they may do something. True: they made somebody run.
bool Scheduler::outside_acts_first(uint32_t enabled_before) {
  const Nanoseconds timeout = earliest_timeout();
  const Nanoseconds next = timeout < g_next_timers.real ? timeout : g_next_timers.real;
  if (next == kNever) return false;
  // A little is always left: a loop of sleeps that waits for another process gets it in the end.
  const Nanoseconds least = family_is_complete() ? kLeastOfFamily : 100'000;
  Nanoseconds left = busy_.outside_left > least ? busy_.outside_left : least;
  if (next - clock_ < left) left = next - clock_;
  Nanoseconds nap = BusyTime::kFirstNap;
  while (left > 0) {
    const uint64_t seen = before_family_look();
    if (seen == 0 && !outside_is_awaited()) return false;
    if (seen == 0 || wait_for_external_events(0)) poll_external();
    if (enabled_.count() > enabled_before) return true;
    family_sleeps_until(next, seen);
    const bool by_family = family_may_act_before(next);
    const bool by_others = !family_is_complete() && outside_is_awaited();
    if (!by_family && !by_others) return false;
    const Nanoseconds before = real_now();
    wait_for_external_events(by_family && nap < left ? nap : left);
    if (nap < BusyTime::kLongestFamilyNap) nap *= 2;
    const Nanoseconds taken = real_now() - before;
    busy_.outside_left -= taken;
    left -= taken;
  }
  poll_external();
  return enabled_.count() > enabled_before;
}

// Everybody who could run spins, and time is about to jump. Who writes to memory that is shared, as
// they may be waiting for, gets that much real time first.
bool Scheduler::others_come_before_time() const {
  const Nanoseconds timeout = earliest_timeout();
  const Nanoseconds next = timeout < g_next_timers.real ? timeout : g_next_timers.real;
  if (next == kNever || busy_.outside_given >= next - clock_) return false;
  const bool has_some_left =
      busy_.outside_left > 0 || (busy_.outside_given < kLeastOfFamily && family_is_complete());
  return has_some_left && others_may_write();
}

// Threads are busy, or spin: have others done something meanwhile?
void Scheduler::look_outside() {
  if (!outside_may_act()) return;
  const uint32_t enabled = enabled_.count();
  const bool may_wait = busy_.outside_left > 0;
  const Nanoseconds before = real_now();
  wait_for_external_events(may_wait ? busy_.outside_nap : 0);
  poll_external();
  const Nanoseconds taken = real_now() - before;
  busy_.outside_left -= taken;
  busy_.outside_given += taken;
  const bool happened = enabled_.count() != enabled;
  busy_.outside_nap = happened                                    ? BusyTime::kFirstNap
                      : busy_.outside_nap < BusyTime::kLongestNap ? busy_.outside_nap * 2
                                                                  : busy_.outside_nap;
}

}  // namespace jostle::rt
