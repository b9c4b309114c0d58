// SPDX-License-Identifier: Apache-2.0
// Nearly all decisions of nearly all runs: nobody but the decider has a say, and nothing that
// happens rarely is due. `pick` and `arm_limits` know all that may be otherwise; here is what is
// left of them when nothing is, inlined where scheduling points are.
#pragma once

#include "src/runtime/memory/reads_from.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/time/timers.h"
#include "src/runtime/scheduler/waits/interruption.h"

namespace jostle::rt {

// What can change from one decision to the next; the rest is in plain_until_.
inline bool Scheduler::is_plain_decision() const {
  const uint32_t is_unusual = timed_waiters_ | turn_left_ | uint32_t{watches_all_} |
                              uint32_t{busy_.is_due} | current_->no_preempt;
  return steps_ < plain_until_ && eligible_.count() > 1 && is_unusual == 0 &&
         thinning_.is_in_detail() && steps_ < g_next_timers.strikes_at_step;
}

// What `pick` does when nothing is out of the ordinary.
inline Thread* Scheduler::pick_plainly() {
  JOSTLE_CHECK(!busy_.segment_ended);
  view_.candidates = &eligible_;
  view_.current = current_->id;
  view_.operations = operations_.begin();
  view_.touched = touched_.active() ? &touched_ : nullptr;
  channel::RunRecord& run = record();
  ++run.decisions;
  const ThreadId id = decider_->pick(view_);
  if (id == kNoThread) [[unlikely]]
    end_run(channel::Outcome::stopped, "the strategy ends the run");
  JOSTLE_CHECK(eligible_.contains(id));
  Thread& next = *table_[id];
  if (hears_of_steps_) decider_->executed(view_, id, next.pending);
  next.at_stop = 0;
  if (next.index < channel::kMaxThreads) ++run.schedule.threads[next.index].steps;
  streak_ = &next == current_ ? streak_ + 1 : 0;
  next.last_ran = steps_;
  thinning_.decided_in_detail();
  ++steps_;
  return &next;
}

// What `arm_limits` does then, for a thread that is about to go on when the run is at event `now`:
// where it is stopped may be too early, where it was to be stopped the last time, but never too
// late. `at_limit` puts that right.
inline void Scheduler::arm_plainly(Thread& t, uint64_t now) {
  t.slice_end = t.events + kSlice;
  const bool has_request = signal_word(t.signals_pending) != 0 || t.cancel_requested;
  const bool is_unusual = timed_waiters_ != 0 || steps_ >= plain_until_ || thinning_.active() ||
                          now + kSlice >= event_limit_ || now + kSlice >= busy_.look_at;
  if (is_unusual || has_request || t.stop_at > t.slice_end || t.skip_until != 0) [[unlikely]]
    return arm_limits(t);
  JOSTLE_CHECK(is_armed(t));
}

// … and is the one that has been running.
inline void Scheduler::go_on_plainly(Thread& t) {
  t.slice_end = t.events + kSlice;
  JOSTLE_CHECK(is_armed(t));
}

}  // namespace jostle::rt
