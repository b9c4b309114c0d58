// SPDX-License-Identifier: Apache-2.0
// Who waits for what, and until when by the clock of the run.
//
// Time passes when nobody can run. It also passes for a sleeper while others are busy, as it would
// without us, or a test whose workers run until main, after a second, says stop would never end.
// How busy they have to be follows from how long the sleep is: a tenth of a microsecond per event,
// and for long sleeps less and less. A wait for something that others may yet bring about is more
// patient. It is a matter of events, which a replay has in the same number at the same place.
#include "src/base/check.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/time/hold_up.h"
#include "src/runtime/scheduler/time/timers.h"
#include "src/strategy/decider.h"

namespace jostle::rt {

// ---- the parking lot --------------------------------------------------------------------------

void Scheduler::park(Thread& t, uintptr_t object) {
  JOSTLE_CHECK(!t.in_lot);
  Bucket& bucket = lot_[(object >> 3) % kLotBuckets];
  JOSTLE_CHECK_EQ(bucket.head == nullptr, bucket.tail == nullptr);
  t.parked_on = object;
  t.in_lot = true;
  t.lot_next = nullptr;
  t.lot_previous = bucket.tail;
  (bucket.tail ? bucket.tail->lot_next : bucket.head) = &t;
  bucket.tail = &t;
  if (crowded_.any()) [[unlikely]] {
    if (CrowdedObject* crowded = crowded_.find(object)) join_crowd(*crowded, t);
  }
  JOSTLE_CHECKED(check_parked(t));
}

void Scheduler::unpark(Thread& t) {
  if (!t.in_lot) return;
  JOSTLE_CHECKED(check_parked(t));
  if (t.crowd) {
    leave_crowd(t);
  } else if (crowded_.any()) [[unlikely]] {
    if (CrowdedObject* crowded = crowded_.find(t.parked_on)) --crowded->outside;
  }
  Bucket& bucket = lot_[(t.parked_on >> 3) % kLotBuckets];
  (t.lot_previous ? t.lot_previous->lot_next : bucket.head) = t.lot_next;
  (t.lot_next ? t.lot_next->lot_previous : bucket.tail) = t.lot_previous;
  t.in_lot = false;
}

Thread* Scheduler::next_pending_on(uintptr_t object, Thread* previous) {
  Thread* t = previous ? previous->lot_next : lot_[(object >> 3) % kLotBuckets].head;
  while (t && t->parked_on != object) t = t->lot_next;
  JOSTLE_CHECK(!t || t->in_lot);
  return t;
}

// ---- virtual time -----------------------------------------------------------------------------

// Where all schedules are explored nobody else is let run meanwhile, and a deadline would strike
// although others could go on. So a thread that does nothing but ask for the time waits for them.
void Scheduler::let_others_before_clock() {
  constexpr uint32_t kMostReadings = 256;
  Thread& t = *current_;
  // A deadline that would end the loop is left out with its rounds.
  if (t.loop.in_loop()) g_actions.assume(kTimeoutsAreLate);
  if (clock_asked_at_ != events_of_others_) {
    clock_asked_at_ = events_of_others_;
    clock_asked_ = 0;
  }
  if (++clock_asked_ < kMostReadings || enabled_.count() < 2 || t.no_preempt) return;
  clock_asked_ = 0;
  g_actions.assume(kTimeoutsAreLate);
  t.ready = {};
  wait_in_loop(t);
  t.loop.asks_for_time = true;
  yield_to_others(t);
}

Nanoseconds Scheduler::read_clock() {
  if (decides_all_ && !any_time_outs_) let_others_before_clock();
  choose_steps_of_clock();
  // A microsecond per reading; a loop that does nothing but read the clock is carried along faster
  // and faster, up to a millisecond per reading.
  const uint32_t doublings = clock_reads_ / 64;
  ++clock_reads_;
  clock_was_read_ = true;
  if (has_large_steps_) [[unlikely]] {
    if (clock_reads_ % Polling::kReadings == 0) advance_clock_to(clock_ + 1);
    return clock_;
  }
  const Nanoseconds taken = Nanoseconds{1000} << (doublings < 10 ? doublings : 10);
  busy_.processor_extra += taken;
  advance_clock_to(clock_ + taken);
  return clock_;
}

void Scheduler::advance_clock_to(Nanoseconds time) {
  if (time <= clock_) return;
  clock_ = has_large_steps_ ? in_large_steps(time) : time;
  if (timed_waiters_) wake_expired();
  if (g_next_timers.real <= clock_) [[unlikely]]
    expire_timers();
}

void Scheduler::wake_expired() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!t.in_lot || !t.timed_wait || t.deadline > clock_ || t.waits_for_others) continue;
    if (!is_enabled(t) && g_actions.active() && !g_actions.time_passes()) {
      g_actions.assume(kTimeoutsAreLate);
      if (time_passes_last()) continue;
      g_actions.gap(TrailGap::time, t.pending.pc);
    }
    set_enabled(t, true);
  }
}

namespace {

constexpr Nanoseconds kPerEvent = 100;
constexpr Nanoseconds kShort = 10'000'000;
constexpr uint64_t kEventsOfSleep = 40'000;
constexpr uint64_t kEventsOfWait = 1'000'000;

// Events of others that last as long as this.
uint64_t events_in(Nanoseconds span, bool sleeps) {
  const auto realistic = static_cast<uint64_t>(span / kPerEvent);
  uint64_t most = sleeps ? kEventsOfSleep : kEventsOfWait;
  const uint64_t unit = most;
  for (Nanoseconds rest = span / kShort; rest > 1; rest /= 2) most += unit;
  return realistic < most ? realistic : most;
}

constexpr uint32_t kDelays = 4;
// A loop that was held up wakes later than it asked for. By how much of what it waited.
Nanoseconds delay_of(uint32_t choice, Nanoseconds span) {
  const Nanoseconds waited = span < kLongestHoldUp ? span : kLongestHoldUp;
  const Nanoseconds delays[kDelays] = {0, waited / 8 + 1, waited, 10 * waited};
  return delays[choice] < kLongestHoldUp ? delays[choice] : kLongestHoldUp;
}

}  // namespace

void Scheduler::begin_timed_wait(Thread& t, const WaitOptions& options, bool ready) {
  const bool sleeps = t.pending.kind == OpKind::sleep || options.event_loop;
  t.waits_since = clock_;
  JOSTLE_CHECK(t.timed_wait && t.deadline != kNever);
  const Nanoseconds span = t.deadline > clock_ ? t.deadline - clock_ : 0;
  t.due_at = total_events() + events_in(span, sleeps);
  if (t.due_at < next_due_) next_due_ = t.due_at;
  if (g_actions.active() && !options.event_loop) g_actions.looks_at_clock();
  const Nanoseconds longest = t.pending.kind == OpKind::sleep ? kLongestHoldUp : kShortestGuard;
  // What was found with time-outs at any time is made smaller with them.
  const bool any = any_time_outs_ || (guided_ && channel_->config.any_time_outs);
  const bool is_open = !ready && clock_ < t.deadline && live_ > 1 && (span < longest || any);
  const ChoiceKind kind = t.pending.kind == OpKind::sleep ? ChoiceKind::sleep
                          : options.event_loop            ? ChoiceKind::late
                                                          : ChoiceKind::time;
  if (any_time_outs_ && !options.event_loop && (strikes_whenever(t) || chooses_time_out(t))) {
    return choose_time_out(t, kind, is_open);
  }
  // Its time is over: whatever signals come, it is no longer there.
  if (decides_all_ && !ready && clock_ >= t.deadline && !options.event_loop &&
      chooses_time_out(t)) {
    if (g_actions.active()) g_actions.operation(OpKind::clock, 0, 0, t.pending.pc);
    t.time_is_eager = true;
    return;
  }
  // Also if nobody is asked: a guard of seconds, or a lock that somebody else may take first.
  const bool may_wait =
      !ready || is_about_lock(t.pending.kind) || t.pending.kind == OpKind::sem_wait;
  if (g_actions.active() && !options.event_loop && may_wait && clock_ < t.deadline && live_ > 1) {
    g_actions.assume(kTimeoutsAreLate);
  }
  if (is_open) t.time_is_eager = choose(kind, 2) == 1;
}

// Until then, in the time of the run: at once, or because their own time is up before.
bool Scheduler::others_could_run(const Thread& t, Nanoseconds until) const {
  if (enabled_.count() > 1) return true;
  for (ThreadId id = 0; timed_waiters_ && id < slots_used_; ++id) {
    const Thread& other = *table_[id];
    if (&other != &t && other.live && other.in_lot && other.timed_wait && other.deadline < until) {
      return true;
    }
  }
  return false;
}

// The time-out has struck.
void Scheduler::end_timed_wait(Thread& t, const WaitOptions& options) {
  channel::RunRecord& run = record();
  const Nanoseconds span = options.deadline - t.waits_since;
  // Because the schedule had it so, not because others were busy for so long.
  const bool early = clock_ < options.deadline && total_events() < t.due_at;
  if (early && recording_ && run.early_count < channel::kMaxEarlyExpiries &&
      others_could_run(t, options.deadline)) {
    run.early[run.early_count++] = {t.index, t.pending.kind, {}, place_of(t.pending), span};
  }
  if (any_time_outs_) g_actions.puts_clock_forward();
  advance_clock_to(options.deadline);
  JOSTLE_CHECK_LE(options.deadline, clock_);
  JOSTLE_CHECK_LE(t.waits_since, clock_);
  if (!options.event_loop && t.pending.kind != OpKind::io_wait) return;
  ++run.timer_expiries;
  // Logged in any case: a replay asks for it.
  if (g_actions.active()) g_actions.assume(kTimersOnTime);
  const bool asked = replaying() || (decider_ && decider_->manner().holds_up);
  const uint32_t late =
      asked ? choose(ChoiceKind::held_up, kDelays) : log_choice(ChoiceKind::held_up, kDelays, 0);
  if (late && span > 0) advance_clock_to(clock_ + delay_of(late, span));
}

void Scheduler::wake_due() {
  const uint64_t now = total_events();
  JOSTLE_CHECK_LE(next_due_, now);
  next_due_ = UINT64_MAX;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!t.in_lot || !t.timed_wait || t.waits_for_others) continue;
    if (t.due_at <= now) {
      if (!is_enabled(t) && g_actions.active()) g_actions.gap(TrailGap::time, t.pending.pc);
      set_enabled(t, true);
    } else if (t.due_at < next_due_) {
      next_due_ = t.due_at;
    }
  }
}

Nanoseconds Scheduler::earliest_timeout() const {
  Nanoseconds earliest = kNever;
  for (ThreadId id = 0; timed_waiters_ && id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (t.waits_for_others || t.stopped) continue;
    if (t.in_lot && t.timed_wait && !is_enabled(t) && t.deadline < earliest) earliest = t.deadline;
  }
  return earliest;
}

// Nobody can run: jumps to the earliest time-out or timer. False when there is none.
bool Scheduler::let_time_pass() {
  Nanoseconds earliest = earliest_timeout();
  if (g_next_timers.real < earliest) {
    const Nanoseconds timer = next_timer_of_use();
    if (timer < earliest) earliest = timer;
  }
  if (earliest == kNever) return false;
  JOSTLE_CHECK_LE(0, earliest);
  clock_reads_ = 0;
  g_actions.time_passes(true);
  if (earliest > clock_) {
    advance_clock_to(earliest);
  } else {
    wake_expired();
  }
  g_actions.time_passes(false);
  return true;
}

// Everybody who could run only spins: jumps to the earliest time-out; to the timers before it, too,
// and to others only when the spinning has gone on for long.
bool Scheduler::let_time_pass_for_spinners() {
  if (!g_next_timers.any()) return let_time_pass();
  constexpr uint64_t kLong = 2'000;
  const Nanoseconds timeout = earliest_timeout();
  if (g_next_timers.real <= timeout ? timeout != kNever || fruitless_ > kLong
                                    : timeout == kNever && fruitless_ > kLong) {
    fruitless_ = 0;
    pass_time_to_timer();
    return true;
  }
  return timeout != kNever && let_time_pass();
}

}  // namespace jostle::rt
