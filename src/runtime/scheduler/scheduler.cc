// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/scheduler.h"

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/runtime/heap/heap_check.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/fairness/overtaking.h"
#include "src/runtime/scheduler/fairness/recent_reads.h"
#include "src/runtime/scheduler/interruption.h"
#include "src/runtime/scheduler/meetings.h"
#include "src/runtime/scheduler/overseer.h"
#include "src/runtime/scheduler/requests.h"
#include "src/runtime/scheduler/time/external.h"
#include "src/runtime/scheduler/time/timers.h"
#include "src/strategy/decider.h"

namespace jostle::rt {

// Constant-initialised: hooks and our constructor run before dynamic initialisers.
JOSTLE_KEPT constinit Scheduler g_scheduler;
JOSTLE_KEPT FastPath g_fast_path;
JOSTLE_KEPT bool g_embedded = false;
JOSTLE_KEPT constinit RecentReads g_recent_reads;

namespace {

uint64_t events_of(void* source, ThreadId id) {
  return static_cast<Scheduler*>(source)->thread_at(id)->events;
}

uint64_t last_write_of(void* source, ThreadId id) {
  const Operation& op = static_cast<Scheduler*>(source)->thread_at(id)->pending;
  return g_reads_from.last_write(op.object, op.name);
}

uint64_t path_of(void* source, ThreadId id) {
  return thread_path(static_cast<Scheduler*>(source)->thread_at(id)->index);
}

uint64_t value_of(void* source, ThreadId id) {
  const Operation& op = static_cast<Scheduler*>(source)->thread_at(id)->pending;
  uint64_t value = 0;
  // What the program is about to read need not be there.
  safe_read(op.object, &value, op.size < 8 ? op.size : 8);
  return value;
}

// Accesses in a row that are no scheduling points, before others get their turn. A loop that waits
// for memory not yet known to be shared ends by this; ordinary code rarely gets that far.
constexpr uint64_t kSlice = 50'000;
// Who explores all schedules does not want others to get a turn that it did not decide about.
constexpr uint64_t kLongSlice = 5'000'000;

// Its object is touched when the wait is over. Others need not exist any more then: a condition
// variable may be destroyed as soon as everybody is woken.
bool is_lock(OpKind kind) {
  constexpr uint64_t kLocks = op_bits({OpKind::mutex_lock, OpKind::rwlock_read,
                                       OpKind::rwlock_write, OpKind::spin_lock, OpKind::sem_wait});
  return kLocks >> static_cast<int>(kind) & 1;
}

// Not so of what only waits or asks.
bool changes_something(OpKind kind) {
  constexpr uint64_t kWaits =
      op_bits({OpKind::fence, OpKind::thread_join, OpKind::futex_wait, OpKind::sleep, OpKind::clock,
               OpKind::io_wait, OpKind::signal_wait, OpKind::process_wait});
  return !(kWaits >> static_cast<int>(kind) & 1);
}

}  // namespace

// ---- limits ------------------------------------------------------------------------------------

void Scheduler::presume_sharing(bool constants) {
  // A long run learns soon enough what is shared.
  constexpr uint32_t kMostPresumptions = 1 << 12;
  presumptions_ = kMostPresumptions;
  presumes_constants_ = constants;
  arm_limits(*current_);
}

bool Scheduler::presumes_shared(const Thread& thread, uintptr_t address) {
  if (presumptions_ == 0 || (address >= thread.stack_begin && address < thread.stack_end)) {
    return false;
  }
  if (!presumes_constants_ &&
      (is_read_only(address) || in_static_tls(thread.context.tp, address))) {
    return false;
  }
  --presumptions_;
  // The next run has other scheduling points than this one.
  ++record().newly_shared;
  return true;
}

uint64_t Scheduler::total_events() const {
  return events_of_others_ + (current_->events - events_at_resume_);
}

void Scheduler::arm_limits(Thread& thread) {
  thread.slice_end = thread.events + (decides_all_ ? kLongSlice : kSlice);
  thread.skip_until = 0;
  // Recording, every access takes the slow path, which notes it; presuming, too. A request is acted
  // on at the very next hook, whether or not its memory is known to be shared: so a replay does it
  // at the same one.
  if (recording_ || g_races.sees_everything() || presumptions_ != 0 || thread.at_stop ||
      thread.stillness.watching() || thread.loop.in_loop() || has_request(thread)) {
    thread.stop_at = 0;
    return;
  }
  if (thinning_.active() && !guided_ && !follower_.active() && !thread.aside) {
    thread.skip_until = thread.events + thinning_.left(total_events());
  }
  uint64_t stop =
      event_limit_ == UINT64_MAX
          ? UINT64_MAX
          : thread.events +
                (event_limit_ - (total_events() < event_limit_ ? total_events() : event_limit_));
  uint64_t wanted = follower_.active() ? follower_.stop_for(thread) : thread.slice_end;
  if (busy_.look_at < UINT64_MAX && !follower_.active()) {
    const uint64_t now = total_events();
    const uint64_t look = busy_.look_at > now ? thread.events + (busy_.look_at - now) : 0;
    if (look < wanted) wanted = look;
  }
  if (guided_) {
    const uint64_t guide = decider_->stop_for(thread.id);
    if (guide > thread.events && guide < wanted) wanted = guide;
  }
  if (!follows() && thread.watch_at < wanted) wanted = thread.watch_at;
  if (timed_waiters_ != 0 && !follows() && next_due_ != UINT64_MAX) {
    const uint64_t due = next_due_ > total_events() ? next_due_ - total_events() : 0;
    if (thread.events + due < wanted) wanted = thread.events + due;
  }
  thread.stop_at = wanted < stop ? wanted : stop;
}

void Scheduler::end_soon() {
  overdue_ = true;
  event_limit_ = 0;
  current_->stop_at = 0;
}

bool Scheduler::at_limit(Thread& thread) {
  if (overdue_) end_beyond(channel::kLimitTime);
  if (total_events() >= event_limit_) end_beyond(channel::kLimitSteps);
  if (thread.at_stop || has_request(thread)) return true;
  if (thread.events >= thread.watch_at && !follows()) begin_watching(thread);
  if (!follows() && is_due()) return true;
  if (follower_.active()) return thread.events == follower_.stop_for(thread);
  if (total_events() >= busy_.look_at) [[unlikely]]
    look_at_work(thread, true);
  if (guided_ && thread.events == decider_->stop_for(thread.id)) return true;
  if (thread.events < thread.slice_end) return false;
  // It may be waiting for somebody in a loop over memory that nobody else has touched yet.
  arm_limits(thread);
  if (enabled_.count() == 1) return false;
  JOSTLE_CHECK_EQ(&thread, current_);
  put_aside(thread);
  return true;
}

void Scheduler::close_log() {
  channel::RunRecord& run = record();
  run.steps = steps_;
  run.events = total_events();
  // The run ends somewhere behind the last published operation: where exactly is not checked.
  if (g_actions.active()) g_actions.finish();
  current_->pending = {};
  log_switch(*current_, channel::kForced);
}

// ---- scheduling points ------------------------------------------------------------------------

void Scheduler::count_event(const Operation& op) {
  Thread& t = *current_;
  ++t.events;
  if (total_events() >= event_limit_) at_limit(t);
  if (total_events() >= busy_.look_at) [[unlikely]] {
    if (!follower_.active()) look_at_work(t, false);
  }
  uint64_t& digest = record().schedule.digest;
  digest =
      combine(digest, t.events << 24 ^ uint64_t{t.index} << 8 ^ static_cast<uint64_t>(op.kind));
  if (recording_) trace(op, true);
  if (t.stillness.watching() || t.events >= t.watch_at) [[unlikely]] {
    if (!follows()) watch(op.kind, op.size, op.object, op.pc);
  }
  if (op.kind == OpKind::yield) {
    saw(op, 0);
  } else if (op.kind == OpKind::mutex_trylock && op.object) {
    saw(op, *reinterpret_cast<const uint32_t*>(op.object));
  } else {
    if (changes_something(op.kind)) changed_memory(op.kind);
    t.spin.progress();
  }
}

// What other threads asked of this one while it did not run: signals, asynchronous cancellation.
inline void Scheduler::act_on_requests(Thread& t) {
  if (!signal_word(t.signals_pending) && !t.cancel_requested) [[likely]]
    return;
  if (!has_request(t)) return;
  if (g_actions.active()) g_actions.gap(TrailGap::signals, t.pending.pc);
  if (has_deliverable_signal(t)) deliver_pending_signals(nullptr);
  if (t.cancel_requested && t.cancel_asynchronous) cancellation_point();
  ++t.events;  // a handler had events of its own: the operation it interrupted gets a new number
  arm_limits(t);
}

// Nobody else could run, or may here: there is nothing to decide.
inline bool Scheduler::goes_alone(Thread& t) {
  const bool no_others = enabled_.count() == 1 && !t.aside && !decides_all_;
  if (!no_others && !filtered_ && !thinning_.active()) [[likely]]
    return false;
  return may_go_alone(t);
}

bool Scheduler::may_go_alone(Thread& t) {
  if (busy_.is_due || is_due()) [[unlikely]]
    return false;
  const bool no_others = enabled_.count() == 1 && !t.aside && !decides_all_;
  if (!no_others || follower_.active()) return (filtered_ && !is_point(t)) || is_thinned_out(t);
  if (stepping_) [[unlikely]] {
    const View& view = view_of(enabled_);
    if (overseer_) overseer_->goes(view, t.id);
    decider_->executed(view, t.id, t.pending);
  }
  return true;
}

// One of many in a long run: others may run at another one.
inline bool Scheduler::is_thinned_out(const Thread& t) const {
  if (!thinning_.active() || t.aside || t.at_stop || guided_ || follower_.active()) return false;
  return thinning_.skips(is_memory(t.pending.kind), total_events());
}

// The thread's next operation is published; returns when it is its turn to execute it.
void Scheduler::yield_to_others(Thread& t) {
  Thread* next = decide();
  if (next == &t) {
    busy_.segment_ended = false;
    return arm_limits(t);
  }
  if (recording_) {
    if (!t.stopped_at) {
      t.stopped_at = static_cast<channel::Stack*>(engine_allocate(sizeof(channel::Stack)));
    }
    capture_own_stack(*t.stopped_at, t.pending.pc);
  }
  const bool gives_way =
      follower_.active() ? follower_.gave_way() : t.aside || t.pending.kind == OpKind::yield;
  log_switch(t, !t.enabled  ? channel::kForced
                : gives_way ? channel::kGaveWay
                            : channel::kPreempted);
  switch_to(*next);
}

void Scheduler::reach(const Operation& op) {
  count_event(op);
  // It does nothing, and others could as well run at the next operation.
  if (decides_all_ && op.kind == OpKind::yield && current_->enabled) return;
  reach_access(op.kind, op.size, op.object, op.pc);
  check_heap(op.kind, op.object, op.size, op.pc);
}

void Scheduler::pass(const Operation& op) {
  if (decides_all_ || follows()) return reach(op);
  count_event(op);
}

// The parts instead of an Operation: copying one that has just been written stalls the processor.
void Scheduler::reach_access(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc) {
  Thread& t = *current_;
  act_on_requests(t);  // those that came during a wait
  t.pending.kind = kind;
  t.pending.size = size;
  t.pending.object = object;
  t.pending.pc = pc;
  if (touched_.active()) note_touched(t);
  if (names_) name_pending(t);
  if (decides_all_) {
    look_at_loop(t, kind, object, pc);
    look_at_awaited();
  }
  if (!goes_alone(t)) {
    t.ready = {};
    yield_to_others(t);
    act_on_requests(t);
  }
  if (g_reads_from.active()) g_reads_from.executed(t.index, kind, size, object, pc);
  if (g_actions.active()) g_actions.operation(kind, object, size, pc);
  if (g_races.active()) g_races.executed(kind, size, object, pc);
}

void Scheduler::enter_function(uintptr_t pc) {
  if (g_watch_entry) g_watch_entry(*current_, pc);
  if (!filtered_ || enabled_.count() == 1) return;
  const uint32_t kinds = points_.stop_at(pc);
  if (!(kinds & channel::kStopEntry)) return;
  current_->at_stop = kinds;
  current_->stop_at = 0;
}

void Scheduler::name_pending(Thread& t) {
  t.pending.name = g_reads_from.name(t.pending.object);
  t.pending.site = g_reads_from.site_of(t.pending.pc);
}

// Most of what happens is not decided about any more: what reads observe is not worth its price.
void Scheduler::stop_naming() {
  g_reads_from.stop();
  names_ = false;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    table_[id]->pending.name = table_[id]->pending.site = 0;
  }
}

// Is the pending operation one at which others may run although it could execute?
bool Scheduler::is_point(Thread& t) {
  return t.at_stop || t.aside || points_.contains(t.pending, t.calls);
}

Wake Scheduler::wait_for(const Operation& op, ReadyCheck ready, const WaitOptions& options) {
  const Wake wake = wait_until(op, ready, options);
  if (g_actions.active()) g_actions.operation(op.kind, op.object, op.size, op.pc);
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

// `next` gets what others may be waiting for.
static void look_for_starvation(Scheduler& scheduler, const Thread& next) {
  if (const Thread* starved = g_overtaking.executes(scheduler, next)) {
    fail_starved(*starved);
  }
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
  if (decides_all_ && is_about_lock(op.kind)) {
    look_at_loop(t, op.kind, op.object, op.pc);
    t.ready = {};
    if (t.loop.is_blocked) yield_to_others(t);
  }
  t.ready = ready;
  JOSTLE_CHECK_EQ(&t, current_);
  const bool now = ready();
  if (now && goes_alone(t)) {
    // Nobody else could have run: that is as fair as it gets.
    if (g_overtaking.active()) look_for_starvation(*this, t);
    return Wake::ready;
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
  if (any_time_outs_ && strikes_at_once(t, options, now)) {
    end_wait(t);
    end_timed_wait(t, options);
    return Wake::timeout;
  }
  park(t, op.object);
  set_enabled(t, can_go_on(t));
  yield_to_others(t);
  while (is_disturbed(t)) {
    handle_while_waiting(t, op, options);
    yield_to_others(t);
  }
  const bool cancelled = is_cancelled(t);
  const bool signalled = t.interruptible_wait && has_request(t);
  JOSTLE_CHECK_EQ(current_, &t);
  end_wait(t);

  if (t.ready()) return Wake::ready;
  if (cancelled) return Wake::cancelled;
  if (signalled) {
    act_on_requests(t);
    return Wake::signalled;
  }
  if (options.interruptible && timer_interrupts(t, options.deadline)) {
    act_on_requests(t);
    return Wake::signalled;
  }
  if (options.deadline != kNever) {
    end_timed_wait(t, options);
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
  // Whoever only stands in for a wait whose thread runs a signal handler is not live.
  if (t.in_lot && t.live) set_enabled(t, can_go_on(t));
}

void Scheduler::changed(uintptr_t object) {
  for (Thread* t = next_pending_on(object, nullptr); t;) {
    Thread* next = next_pending_on(object, t);
    refresh(*t);
    t = next;
  }
}

// Its time was up, and it could have gone on by that: another execution, which nobody is told of.
static void note_lost_time_out(const Thread& waiter) {
  if (waiter.enabled && waiter.timed_wait) g_actions.gap(TrailGap::time, waiter.pending.pc);
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
  refresh(waiter);
}

void Scheduler::wake(Thread& waiter) {
  JOSTLE_CHECK(waiter.in_lot);
  if (g_actions.active()) note_lost_time_out(waiter);
  waiter.woken = true;
  refresh(waiter);
}

// ---- decisions --------------------------------------------------------------------------------

Thread* Scheduler::decide() {
  if (is_due()) [[unlikely]]
    wake_due();
  if (standstill_planned_) [[unlikely]]
    look_at_standstill();
  JOSTLE_CHECK(!in_handler());
  JOSTLE_CHECK_LE(events_at_resume_, current_->events);
  JOSTLE_CHECKED(check_state());
  if (is_plain_decision()) [[likely]] {
    Thread* next = pick_plainly();
    ++steps_;
    return next;
  }
  if (follower_.active()) {
    // In the middle of its segment nobody else could run either, or they only went round and round:
    // its own time-out, or the outside.
    while (!current_->enabled && (enabled_.count() == 0 || current_->timed_wait) &&
           current_->events < follower_.stop_for(*current_)) {
      if (!make_someone_enabled()) break;
    }
    const bool time_passes = follower_.time_passes_at(*current_);
    if (follower_.goes_on(*current_)) {
      if (g_overtaking.active()) g_overtaking.executes(*this, *current_);
      return current_;
    }
    if (time_passes) pass_time_to_timer();
    const uint32_t index = follower_.next_thread();
    if (index == UINT32_MAX) end_as_recorded();
    while (index != UINT32_MAX) {
      // A timer may be what starts it.
      if (index >= by_index_.size() && make_someone_enabled()) continue;
      const ThreadId id = index < by_index_.size() ? by_index_[index] : kNoThread;
      if (id == kNoThread) follower_.diverge(*current_, "the thread that runs next does not exist");
      JOSTLE_CHECK_EQ(table_[id]->index, index);
      if (table_[id]->enabled) {
        ++steps_;
        if (g_overtaking.active()) g_overtaking.executes(*this, *table_[id]);
        return table_[id];
      }
      if (!make_someone_enabled()) {
        if (enabled_.count() == 0) report_deadlock();
        follower_.diverge(*table_[id], "the thread that runs next has to wait");
      }
    }
  }
  if (decides_all_) look_at_awaited();
  while (enabled_.count() == 0) {
    if (make_someone_enabled()) continue;
    if (any_time_outs_) end_if_time_outs_are_left();
    if (!decides_all_ || !loops_go_on()) report_deadlock();
  }
  Thread* next = pick();
  if (++steps_ > step_limit_) end_beyond(channel::kLimitSteps);
  return next;
}

// The log is at its end and the run is not. Limits strike where they struck; every other end has to
// come by itself.
void Scheduler::end_as_recorded() {
  const auto expected = static_cast<channel::Outcome>(channel_->config.expected_end);
  if (expected == channel::Outcome::step_limit) {
    end_run(expected, kTooManySteps);
  }
  if (expected == channel::Outcome::livelock && g_overtaking.active()) {
    if (const Thread* starved = g_overtaking.most_overtaken(*this)) {
      fail_starved(*starved);
    }
  }
  if (expected == channel::Outcome::livelock) {
    end_run(expected, kNothingChanges);
  }
}

const View& Scheduler::view_of(const EnabledSet& candidates) {
  if (!view_.source) [[unlikely]] {
    view_.source = this;
    view_.events_of = events_of;
    view_.last_write_of = last_write_of;
    view_.path_of = path_of;
    view_.value_of = value_of;
  }
  view_.candidates = &candidates;
  view_.current = current_->id;
  view_.operations = operations_.begin();
  view_.reads_from = g_reads_from.set_so_far();
  view_.touched = touched_.active() ? &touched_ : nullptr;
  return view_;
}

// To be asked when one of these has changed.
void Scheduler::look_for_the_unusual() {
  const bool is_plain = decider_ && !recording_ && !stepping_ && !decides_all_ && !filtered_ &&
                        !guided_ && !overseer_ && !follower_.active() && !g_actions.active() &&
                        !g_overtaking.active() && !standstill_planned_ && partner_ == kNoThread;
  hears_of_steps_ = decider_ && !decider_->manner().ignores_steps;
  plain_until_ = 0;
  if (!is_plain) return;
  plain_until_ = next_turns_ < fair_from_ ? next_turns_ : fair_from_;
  if (step_limit_ < plain_until_) plain_until_ = step_limit_;
}

inline bool Scheduler::is_plain_decision() const {
  return steps_ < plain_until_ && eligible_.count() > 1 && timed_waiters_ == 0 && turn_left_ == 0 &&
         !watches_all_ && !busy_.is_due && current_->no_preempt == 0 && !thinning_.active() &&
         steps_ < g_next_timers.strikes_at_step;
}

// What `pick` does when nothing is out of the ordinary.
inline Thread* Scheduler::pick_plainly() {
  const View& view = view_of(eligible_);
  channel::RunRecord& run = record();
  ++run.decisions;
  const ThreadId id = decider_->pick(view);
  if (id == kNoThread) end_run(channel::Outcome::stopped, "the strategy ends the run");
  JOSTLE_CHECK(eligible_.contains(id));
  Thread& next = *table_[id];
  if (hears_of_steps_) decider_->executed(view, id, next.pending);
  next.at_stop = 0;
  if (next.index < channel::kMaxThreads) ++run.schedule.threads[next.index].steps;
  streak_ = &next == current_ ? streak_ + 1 : 0;
  next.last_ran = steps_;
  thinning_.decided(total_events());
  if (thinning_.active() && g_reads_from.active()) [[unlikely]]
    stop_naming();
  return &next;
}

Thread* Scheduler::pick() {
  if (current_->enabled && current_->no_preempt) return current_;
  if (eligible_.count() == 0 && !follows()) everybody_spins();
  if (busy_.is_due || steps_ >= g_next_timers.strikes_at_step) [[unlikely]]
    pass_time_to_timer();
  if (steps_ >= next_turns_) give_turns();
  const EnabledSet& candidates = candidates_now();
  JOSTLE_CHECK(candidates.count() != 0);
  const View& view = view_of(candidates);
  ThreadId id = filtered_ ? between_points(candidates) : kNoThread;
  if (id != kNoThread) {
    // No choice.
  } else if (partner_ != kNoThread) {
    id = alternate(candidates);
  } else if (turn_left_ != 0 && table_[turn_of_]->enabled) {
    id = turn_of_;
    --turn_left_;
  } else if (candidates.count() == 1 && !decides_all_) {
    id = candidates.nth(0);
  } else if (eligible_.count() == 0 || (steps_ > fair_from_ && !guided_)) {
    id = in_turn(candidates);
  } else if (decider_) {
    ++record().decisions;
    if (g_actions.active()) g_actions.settle();
    id = stepping_ && overseer_ ? overseer_->pick(view) : decider_->pick(view);
    if (id == kNoThread) end_run(channel::Outcome::stopped, "the strategy ends the run");
    JOSTLE_CHECK(candidates.contains(id));
  } else {
    id = candidates.contains(current_->id) ? current_->id : candidates.nth(0);
  }
  if (stepping_ && overseer_) [[unlikely]]
    overseer_->goes(view, id);
  JOSTLE_CHECK(enabled_.contains(id));
  if (decider_) decider_->executed(view, id, table_[id]->pending);
  if (g_actions.active()) g_actions.step(*table_[id]);
  if (g_overtaking.active() && steps_ > fair_from_ && !guided_) {
    look_for_starvation(*this, *table_[id]);
  }
  table_[id]->at_stop = 0;
  const uint32_t index = table_[id]->index;
  if (index < channel::kMaxThreads) ++record().schedule.threads[index].steps;
  streak_ = id == current_->id ? streak_ + 1 : 0;
  table_[id]->last_ran = steps_;
  thinning_.decided(total_events());
  if (thinning_.active() && g_reads_from.active()) stop_naming();
  if (watches_all_ && table_[id]->aside && !table_[id]->stillness.watching()) {
    begin_watching(*table_[id]);
  }
  return table_[id];
}

// Those the strategy may choose from.
const EnabledSet& Scheduler::candidates_now() {
  const EnabledSet& all = eligible_.count() ? eligible_ : enabled_;
  if (!filtered_ || all.count() < 3 || !all.contains(current_->id)) return all;
  const uintptr_t here = points_.own_code(current_->pending.pc, current_->calls);
  const uint32_t kinds = current_->at_stop ? current_->at_stop : points_.stop_at(here);
  if (!(kinds & channel::kStopWeak)) return all;
  pair_.clear();
  pair_.insert(current_->id);
  pair_.insert(next_after(current_->id, all));
  JOSTLE_CHECK_EQ(pair_.count(), 2);
  return pair_;
}

// A thread that has just begun, or whose wait is over, first runs to its next scheduling point:
// what it does until then is of no interest, so that there is nothing to choose.
ThreadId Scheduler::between_points(const EnabledSet& candidates) {
  ThreadId first = kNoThread;
  candidates.for_each([&](ThreadId id) {
    if (first == kNoThread && !is_point(*table_[id])) first = id;
  });
  return first;
}

bool Scheduler::make_someone_enabled() {
  const uint32_t before = enabled_.count();
  // Who has been stopped for good is not waited for.
  if (record().history.stands_still()) return let_time_pass();
  if (external_waiters_) {
    poll_external();
    if (enabled_.count() > before) return true;
  }
  if (g_outside_watched || g_next_timers.any()) {
    if (outside_has_acted(before)) return true;
    if (outside_may_act() && outside_acts_first(before)) return true;
  }
  if (let_time_pass()) return true;
  while ((external_waiters_ || outside_may_act()) && wait_for_external_events(-1)) {
    poll_external();
    if (enabled_.count() > before) return true;
  }
  return false;
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
  JOSTLE_CHECK_EQ(enabled_.contains(t.id), t.enabled);
  enabled = enabled && !t.stopped;
  if (t.enabled == enabled) return;
  JOSTLE_CHECK(t.live || !enabled);
  t.enabled = enabled;
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

void Scheduler::report_deadlock() { end_run(channel::Outcome::deadlock, "no thread can go on"); }

// ---- the switch and the log -------------------------------------------------------------------

void Scheduler::log_switch(Thread& from, channel::SegmentEnd why) {
  if (busy_.segment_ended) {
    busy_.segment_ended = false;
    return;
  }
  JOSTLE_CHECKED(check_segment(from));
  channel::RunRecord& run = record();
  ++run.switches;
  uint64_t& digest = run.schedule.digest;
  digest = combine(digest, from.events << 20 ^ from.index ^ 0x5);
  if (run.schedule.segment_count == channel::kMaxSegments) {
    run.log_overflow = 1;
    return;
  }
  run.schedule.segments[run.schedule.segment_count++] = {
      from.index, from.pending.kind, why, 0, from.events, code_location(from.pending.pc)};
}

void Scheduler::switch_to(Thread& next) {
  Thread& from = *current_;
  JOSTLE_CHECK_NE(&from, &next);
  JOSTLE_CHECK(next.live && next.enabled);
  JOSTLE_CHECK(next.context.sp != nullptr && next.context.tp != nullptr);
  if (g_meetings_wanted) note_switch(from, next);
  events_of_others_ = total_events();
  current_ = g_current = &next;
  events_at_resume_ = next.events;
  arm_limits(next);
  jostle_switch(&from.context.sp, next.context.sp, next.context.tp);
  // Back again: whoever switched to us has set current_.
  JOSTLE_CHECK_EQ(current_, &from);
  JOSTLE_CHECK_EQ(g_current, &from);
  JOSTLE_CHECK_EQ(thread_pointer(), from.context.tp);
}

}  // namespace jostle::rt
