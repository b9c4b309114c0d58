// SPDX-License-Identifier: Apache-2.0
// Tests of progress: in the middle of an operation all others are stopped for good, wherever they
// are. An operation that is obstruction-free returns all the same; of two lock-free ones that go on
// in turns one does; a wait-free one does after a bounded number of its own steps.
//
// Where they stop is a matter of the tested thread's own events, which a replay has in the same
// number at the same place: nothing of this is in the log.
#include "src/base/check.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
void Scheduler::plan_standstill() {
  JOSTLE_CHECK(record().history.standstill.promise != Promise::none);
  standstill_planned_ = true;
  look_for_the_unusual();
  tested_ = current_->id;
  tested_from_ = current_->events;
}

// At a decision.
void Scheduler::look_at_standstill() {
  const Standstill& plan = record().history.standstill;
  if (current_->id != tested_) return;
  const uint64_t taken = current_->events - tested_from_;
  // Who runs alone anyway need not be left alone; and is not asked, unless a recording is followed.
  const bool others_can_run = enabled_.count() > uint32_t{is_enabled(*current_)};
  if (plan.state == Standstill::planned && taken >= plan.after && others_can_run) {
    begin_standstill();
  }
  if (plan.state == Standstill::begun && plan.promise == Promise::wait_free && taken > plan.bound) {
    end_run(channel::Outcome::history, kNoReturn);
  }
}

bool Scheduler::goes_on_in_standstill(const Thread& t) const {
  return t.id == tested_ || t.id == partner_;
}

void Scheduler::begin_standstill() {
  History& history = record().history;
  Standstill& plan = history.standstill;
  if (g_actions.active()) g_actions.gap(TrailGap::stopped);
  partner_ = plan.partner != 0 ? history.thread_of(plan.partner) : kNoThread;
  if (partner_ != kNoThread && !(partner_ < slots_used_ && table_[partner_]->live)) {
    partner_ = kNoThread;
  }
  if (partner_ == kNoThread) plan.partner = 0;  // it has not begun, or is at its end
  plan.state = Standstill::begun;
  alternated_ = 0;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!t.live || goes_on_in_standstill(t)) continue;
    t.stopped = true;
    if (t.crowd) step_out_of_crowd(t);
    set_enabled(t, false);
  }
  limit_without_ = event_limit_;
  const uint64_t most = total_events() + plan.most_events();
  if (most < event_limit_) event_limit_ = most;
  arm_limits(*current_);
}

void Scheduler::end_standstill() {
  standstill_planned_ = false;
  Standstill& plan = record().history.standstill;
  if (plan.state != Standstill::begun) return;
  plan.state = Standstill::over;
  partner_ = kNoThread;
  look_for_the_unusual();
  event_limit_ = limit_without_;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!t.stopped) continue;
    t.stopped = false;
    if (t.live) set_enabled(t, !t.in_lot || can_go_on(t));
  }
  arm_limits(*current_);
}

// The tested one and its partner, each for as many steps as is planned.
ThreadId Scheduler::alternate(const EnabledSet& candidates) {
  const Standstill& plan = record().history.standstill;
  const ThreadId now = current_->id;
  const uint32_t turn = now == tested_ ? plan.turn : plan.partner_turn;
  const ThreadId other = now == tested_ ? partner_ : tested_;
  const bool goes_on = candidates.contains(now) && ++alternated_ < turn;
  if (goes_on || !candidates.contains(other)) {
    return candidates.contains(now) ? now : candidates.nth(0);
  }
  alternated_ = 0;
  return other;
}

}  // namespace jostle::rt
