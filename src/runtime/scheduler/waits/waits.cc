// SPDX-License-Identifier: Apache-2.0
// Operations that may have to wait: when they can go on, and what a wait ends by.
#include "src/base/check.h"
#include "src/runtime/heap/heap_check.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/scheduler/fairness/overtaking.h"
#include "src/runtime/scheduler/scheduling_point.h"
#include "src/runtime/scheduler/time/external.h"
#include "src/runtime/scheduler/time/timers.h"
#include "src/runtime/scheduler/waits/interruption.h"

namespace jostle::rt {
namespace {

// Its object is touched when the wait is over. Others need not exist any more then: a condition
// variable may be destroyed as soon as everybody is woken.
bool is_lock(OpKind kind) {
  constexpr uint64_t kLocks = op_bits({OpKind::mutex_lock, OpKind::rwlock_read,
                                       OpKind::rwlock_write, OpKind::spin_lock, OpKind::sem_wait});
  return kLocks >> static_cast<int>(kind) & 1;
}

}  // namespace

Wake Scheduler::wait_for(const Operation& op, ReadyCheck ready, const WaitOptions& options) {
  const Wake wake = wait_until(op, ready, options);
  if (g_actions.active()) g_actions.operation(op.kind, op.object, op.size, op.pc);
  if (options.cancellation_point && g_actions.active()) {
    g_actions.ends_cancellable_wait(op.kind, wake == Wake::cancelled, wake == Wake::ready);
  }
  if (wake == Wake::ready && g_reads_from.active()) {
    const Thread& t = *current_;
    g_reads_from.executed(t.index, op.kind, op.size, op.object, op.pc);
    // Who was woken from a condition variable takes the mutex at the same time.
    const Operation& then = t.pending;
    if (then.object != op.object) {
      g_reads_from.executed(t.index, then.kind, then.size, then.object, then.pc);
    }
  }
  if (wake == Wake::ready && is_lock(current_->pending.kind)) {
    const Operation& lock = current_->pending;
    check_heap(lock.kind, lock.object, lock.size, lock.pc);
  }
  if (wake == Wake::ready && g_races.active()) {
    g_races.waited(op.kind, op.size, op.object, op.pc);
    const Operation& then = current_->pending;
    if (then.object != op.object) g_races.waited(then.kind, then.size, then.object, then.pc);
  }
  return wake;
}

Wake Scheduler::wait_until(const Operation& op, ReadyCheck ready, const WaitOptions& options) {
  count_event(op);
  check_heap(op.kind, op.object, op.size, op.pc);
  Thread& t = *current_;
  JOSTLE_CHECK(!t.in_lot && !t.timed_wait && !t.external_wait);
  t.wait_announced = recording_ ? record().trace_count - 1 : UINT64_MAX;
  if (!options.interruptible && !options.undisturbed) act_on_requests(t);
  t.pending = op;
  note_touched(t);
  if (names_) name_pending(t);
  if (decides_all_ && (is_about_lock(op.kind) || op.kind == OpKind::io_write)) {
    look_at_loop(t, op.kind, op.object, op.pc);
    t.ready = {};
    if (t.loop.is_blocked) yield_to_others(t);
  } else if (decides_all_) {
    end_write(t);
  }
  t.ready = ready;
  JOSTLE_CHECK_EQ(&t, current_);
  const bool now = ready();
  if (now && goes_alone(t)) {
    // Nobody else could have run: that is as fair as it gets.
    if (g_overtaking.active()) look_for_starvation(*this, t);
    return Wake::ready;
  }
  // Nobody has to know that it waits if it goes on at once.
  const bool is_simple = now && options.deadline == kNever && !options.external && !options.outside;
  Thread* next = nullptr;
  if (is_simple && is_plain_decision()) [[likely]] {
    JOSTLE_CHECKED(check_at_decision());
    next = pick_plainly();
    if (next == &t) {
      go_on_plainly(t);
      return Wake::ready;
    }
  }

  t.woken = false;
  if (g_overtaking.active()) g_overtaking.wait_begins(t);
  t.cancellable_wait = options.cancellation_point;
  t.interruptible_wait = options.interruptible;
  t.undisturbed_wait = options.undisturbed;
  t.deadline = options.deadline;
  t.timed_wait = options.deadline != kNever;
  t.external_wait = options.external;
  external_waiters_ += options.external;
  if (options.outside && t.stillness.watching()) found_moving(t);
  timed_waiters_ += t.timed_wait;
  t.time_is_eager = t.waits_for_others = false;
  if (t.timed_wait) begin_timed_wait(t, options, now);
  if (decides_all_ && strikes_at_once(t, options, now)) {
    end_wait(t);
    end_timed_wait(t, options);
    return Wake::timeout;
  }
  park(t, op.object);
  if (next) {
    JOSTLE_CHECK(is_enabled(t) && can_go_on(t));
    leave(t, *next);
  } else {
    set_enabled(t, can_go_on(t));
    yield_to_others(t);
  }
  for (;;) {
    if (is_disturbed(t)) {
      handle_while_waiting(t, op, options);
    } else if (options.deadline != kNever && !can_go_on(t)) {
      // What it could have gone on with (a signal of the process, a connection) another one took.
      count_event(op);
      set_enabled(t, false);
    } else {
      break;
    }
    yield_to_others(t);
  }
  const bool cancelled = is_cancelled(t);
  const bool signalled = t.interruptible_wait && has_request(t);
  JOSTLE_CHECK_EQ(current_, &t);
  end_wait(t);

  if (t.ready()) return Wake::ready;
  if (cancelled) return Wake::cancelled;
  if (signalled) {
    act_on_requests(t, true);
    return Wake::signalled;
  }
  if (options.interruptible && timer_interrupts(t, options.deadline)) {
    act_on_requests(t, true);
    return Wake::signalled;
  }
  if (options.deadline != kNever) {
    end_timed_wait(t, options);
    if (op.kind != OpKind::sleep) t.loop.waits_for_news = true;
    return Wake::timeout;
  }
  return Wake::ready;
}

bool Scheduler::can_handle_signal(const Thread& thread) { return has_deliverable_signal(thread); }

bool Scheduler::can_go_on(const Thread& t) const {
  return t.ready() || (t.timed_wait && time_may_strike(t)) || is_cancelled(t) ||
         (has_request(t) && !t.undisturbed_wait);
}

void Scheduler::end_wait(Thread& t) {
  unpark(t);
  JOSTLE_CHECK_LE(uint32_t{t.external_wait}, external_waiters_);
  JOSTLE_CHECK_LE(uint32_t{t.timed_wait}, timed_waiters_);
  external_waiters_ -= t.external_wait;
  timed_waiters_ -= t.timed_wait;
  t.external_wait = t.timed_wait = t.cancellable_wait = t.interruptible_wait = false;
  t.undisturbed_wait = t.waits_for_others = false;
  t.deadline = kNever;
  set_enabled(t, true);
}

void Scheduler::refresh(Thread& t) {
  if (t.crowd) step_out_of_crowd(t);
  // One that only stands in for a wait whose thread runs a signal handler is not live.
  if (t.in_lot && t.live) set_enabled(t, can_go_on(t));
}

void Scheduler::changed(uintptr_t object) {
  if (crowded_.any()) [[unlikely]] {
    if (CrowdedObject* crowded = crowded_.find(object)) return changed(*crowded);
  }
  uint32_t alike = 0;
  ReadyCheck asked;  // last; its answer is that of all who ask the same
  bool answer = false;
  for (Thread* t = lot_[(object >> 3) % kLotBuckets].head; t;) {
    Thread* const next = t->lot_next;
    if (t->parked_on == object) {
      alike += t->ready.is_shared;
      if (is_like_others(*t)) [[likely]] {
        if (t->ready.test != asked.test || t->ready.context != asked.context) {
          asked = t->ready;
          answer = asked();
        }
        JOSTLE_CHECK_EQ(answer, can_go_on(*t));
        set_enabled(*t, answer);
      } else {
        refresh(*t);
      }
    }
    t = next;
  }
  if (alike >= CrowdedObjects::kMany) [[unlikely]]
    gather_crowd(object);
}

// Its time was up, and it could have gone on by that: another execution, which no strategy sees.
static void note_lost_time_out(const Thread& waiter) {
  if (g_scheduler.is_enabled(waiter) && waiter.timed_wait)
    g_actions.gap(TrailGap::time, waiter.pending.pc);
}

void Scheduler::retarget(Thread& waiter, const Operation& op, ReadyCheck ready) {
  JOSTLE_CHECK(waiter.in_lot);
  JOSTLE_CHECK_NE(&waiter, current_);
  if (g_actions.active()) {
    note_lost_time_out(waiter);
    g_actions.enables(waiter);
  }
  unpark(waiter);
  waiter.pending = op;
  note_touched(waiter);
  if (names_) name_pending(waiter);
  waiter.ready = ready;
  // The signal has arrived: from here on it wants the mutex, whatever the clock says.
  timed_waiters_ -= waiter.timed_wait;
  waiter.timed_wait = waiter.cancellable_wait = waiter.interruptible_wait = false;
  waiter.waits_for_others = false;
  waiter.deadline = kNever;
  park(waiter, op.object);
  if (!waiter.crowd) refresh(waiter);
}

void Scheduler::wake(Thread& waiter) {
  JOSTLE_CHECK(waiter.in_lot);
  if (g_actions.active()) note_lost_time_out(waiter);
  waiter.woken = true;
  refresh(waiter);
}

// Threads that wait in loops have this long in real time until the loops go on.
static constexpr int64_t kPatienceOfLoops = 10'000'000;

bool Scheduler::make_someone_enabled() {
  const uint32_t before = enabled_.count();
  // What other processes did they did at a time that is over.
  const auto goes_on_with_family = [&] {
    const Nanoseconds timeout = earliest_timeout();
    const Nanoseconds next = timeout < g_next_timers.real ? timeout : g_next_timers.real;
    const Nanoseconds time = family_time();
    if (time < next) advance_clock_to(time);
    family_goes_on(clock_);
    return true;
  };
  // Who has been stopped for good is not waited for.
  if (record().history.stands_still()) return let_time_pass();
  if (decides_all_ && loops_see_what_time_brought()) return true;
  if (external_waiters_) {
    poll_external();
    if (enabled_.count() > before) return true;
  }
  if (g_outside_watched || g_next_timers.any()) {
    if (outside_has_acted(before)) return goes_on_with_family();
    if (outside_acts_first(before)) return goes_on_with_family();
  }
  if (decides_all_) end_if_loop_is_over();
  if (let_time_pass()) {
    if (decides_all_) time_passes_in_loops();
    family_goes_on(clock_);
    return true;
  }
  // What others outside wait for may come of a loop that is left out (fairness/waiting.cc).
  if (decides_all_ && loops_wait()) {
    if (wait_for_external_events(kPatienceOfLoops)) poll_external();
    return enabled_.count() > before;
  }
  for (;;) {
    const uint64_t seen = before_family_look();
    if (seen != 0) {
      if (wait_for_external_events(0)) poll_external();
      if (enabled_.count() > before) return goes_on_with_family();
      family_sleeps_until(kNever, seen);
    }
    const bool may_change = external_waiters_ || outside_may_interfere();
    if (!may_change || !wait_for_external_events(-1)) break;
    poll_external();
    if (enabled_.count() > before) return goes_on_with_family();
  }
  // A process that has ended since it was looked may have done so behind what is waited for.
  poll_external();
  if (enabled_.count() == before) return false;
  record().family_wait_count = 0;
  return goes_on_with_family();
}

void Scheduler::poll_external() {
  if (external_waiters_ == 0) return;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!t.external_wait) continue;
    if (&t == current_) {
      set_enabled(t, can_go_on(t));
    } else {
      refresh(t);
    }
  }
}

void Scheduler::set_enabled(Thread& t, bool enabled) {
  enabled = enabled && !t.stopped;
  if (is_enabled(t) == enabled) return;
  JOSTLE_CHECK(t.live || !enabled);
  JOSTLE_CHECK(!t.crowd);
  if (enabled) {
    if (g_actions.active()) g_actions.enables(t);
    enabled_.insert(t.id);
    if (!t.aside) eligible_.insert(t.id);
  } else {
    t.enabled_at = steps_;
    enabled_.erase(t.id);
    eligible_.erase(t.id);
  }
}

}  // namespace jostle::rt
