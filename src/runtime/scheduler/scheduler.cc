// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/scheduler.h"

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/base/kept.h"
#include "src/runtime/fiber/clean_stack.h"
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
#include "src/runtime/scheduler/meetings.h"
#include "src/runtime/scheduler/overseer.h"
#include "src/runtime/scheduler/plain_decision.h"
#include "src/runtime/scheduler/scheduling_point.h"
#include "src/runtime/scheduler/switch.h"
#include "src/runtime/scheduler/thread_state.h"
#include "src/runtime/scheduler/time/timers.h"
#include "src/runtime/scheduler/waits/interruption.h"
#include "src/schedule/shared_state.h"
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

uint64_t reads_from_of(void*) { return g_reads_from.set_so_far(); }

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

// Not so what only waits or asks.
bool changes_something(OpKind kind) {
  constexpr uint64_t kWaits =
      op_bits({OpKind::fence, OpKind::thread_join, OpKind::futex_wait, OpKind::sleep, OpKind::clock,
               OpKind::io_wait, OpKind::signal_wait, OpKind::process_wait, OpKind::state_read});
  return !(kWaits >> static_cast<int>(kind) & 1);
}

}  // namespace

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
    note_yield();
    saw(op, 0);
  } else if (op.kind == OpKind::mutex_trylock && op.object) {
    saw(op, *reinterpret_cast<const uint32_t*>(op.object));
  } else if (op.kind == OpKind::state_read && is_of_this_process(op.object) && !decides_all_) {
    saw(op, 0);
  } else {
    if (changes_something(op.kind)) changed_memory(op.kind);
    t.spin.progress();
  }
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

// The thread's next operation is published; returns when it is its turn to execute it.
void Scheduler::yield_to_others(Thread& t) {
  Thread* next = decide();
  if (next == &t) {
    busy_.segment_ended = false;
    return arm_plainly(t, total_events());
  }
  leave(t, *next);
}

// `t` stops in front of its operation, and somebody else goes on.
void Scheduler::leave(Thread& t, Thread& next) {
  if (recording_) {
    if (!t.stopped_at) {
      t.stopped_at = static_cast<channel::Stack*>(engine_allocate(sizeof(channel::Stack)));
    }
    capture_own_stack(*t.stopped_at, t.pending.pc);
  }
  const bool gives_way =
      follower_.active() ? follower_.gave_way() : t.aside || t.pending.kind == OpKind::yield;
  log_switch(t, !is_enabled(t) ? channel::kForced
                : gives_way    ? channel::kGaveWay
                               : channel::kPreempted);
  switch_to(next);
}

void Scheduler::reach(const Operation& op) {
  count_event(op);
  // It does nothing (of an object: it asks whether a thread is over), and others could as well run
  // at the next operation.
  const bool does_nothing = op.kind == OpKind::yield && op.object == 0;
  if (decides_all_ && does_nothing && is_enabled(*current_)) return;
  reach_access(op.kind, op.size, op.object, op.pc);
  check_heap(op.kind, op.object, op.size, op.pc);
}

void Scheduler::answer_requests() { act_on_requests(*current_, true); }

void Scheduler::pass(const Operation& op) {
  if (decides_all_ || follows()) return reach(op);
  count_event(op);
}

void Scheduler::enter_function(uintptr_t pc) {
  if (g_watch_entry) g_watch_entry(*current_, pc);
  const bool may_stop = filtered_ && enabled_.count() != 1;
  const uint32_t kinds = may_stop ? points_.stop_at(pc) : 0;
  if (kinds & channel::kStopEntry) {
    current_->at_stop = kinds;
    current_->stop_at = 0;
  }
  if (g_compares_memory) jostle_clean_stack(false, stack_to_clean());
}

// Names and loops are of interest to few strategies.
void Scheduler::note_more(Thread& t) {
  if (names_) name_pending(t);
  if (!decides_all_) return;
  look_at_loop(t, t.pending.kind, t.pending.object, t.pending.pc);
  look_at_awaited();
}

void Scheduler::name_pending(Thread& t) {
  t.pending.name = g_reads_from.name(t.pending.object);
  t.pending.site = g_reads_from.site_of(t.pending.pc);
}

// Most of what happens is not decided about any more: what reads observe is not worth its price.
void Scheduler::stop_naming() {
  g_reads_from.stop();
  names_ = false;
  look_for_the_unusual();
  for (ThreadId id = 0; id < slots_used_; ++id) {
    table_[id]->pending.name = table_[id]->pending.site = 0;
  }
}

// Is the pending operation one at which others may run although it could execute?
bool Scheduler::is_point(Thread& t) {
  return t.at_stop || t.aside || points_.contains(t.pending, t.calls);
}

// ---- decisions --------------------------------------------------------------------------------

Thread* Scheduler::decide() {
  if (is_due()) [[unlikely]]
    wake_due();
  if (standstill_planned_) [[unlikely]]
    look_at_standstill();
  JOSTLE_CHECKED(check_at_decision());
  if (is_plain_decision()) [[likely]]
    return pick_plainly();
  if (follower_.active()) {
    if (Thread* next = follow_recording()) return next;
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

const View& Scheduler::view_of(const EnabledSet& candidates) {
  if (!view_.source) [[unlikely]] {
    view_.source = this;
    view_.events_of = events_of;
    view_.last_write_of = last_write_of;
    view_.path_of = path_of;
    view_.value_of = value_of;
    view_.reads_from_of = reads_from_of;
  }
  view_.candidates = &candidates;
  view_.current = current_->id;
  view_.operations = operations_.begin();
  view_.touched = touched_.active() ? &touched_ : nullptr;
  return view_;
}

// To be asked when one of these has changed.
void Scheduler::look_for_the_unusual() {
  const bool is_plain = decider_ && !recording_ && !stepping_ && !decides_all_ && !filtered_ &&
                        !guided_ && !overseer_ && !follower_.active() && !g_actions.active() &&
                        !g_overtaking.active() && !standstill_planned_ && partner_ == kNoThread &&
                        !g_races.sees_everything();
  notes_more_ = names_ || decides_all_;
  hears_of_steps_ = decider_ && !decider_->manner().ignores_steps;
  plain_until_ = 0;
  if (!is_plain) return;
  view_of(eligible_);
  plain_until_ = next_turns_ < fair_from_ ? next_turns_ : fair_from_;
  if (step_limit_ < plain_until_) plain_until_ = step_limit_;
}

Thread* Scheduler::pick() {
  if (is_enabled(*current_) && current_->no_preempt) return current_;
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
  } else if (turn_left_ != 0 && is_enabled(*table_[turn_of_])) {
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
  if (thinning_.decided(total_events()) && thinning_.active() && g_reads_from.active()) {
    stop_naming();
  }
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

void Scheduler::report_deadlock() {
  end_run(channel::Outcome::deadlock, record().family_wait_count == 0
                                          ? "no thread can go on"
                                          : "nobody can go on in any process of the program");
}

}  // namespace jostle::rt
