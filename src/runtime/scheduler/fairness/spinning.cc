// SPDX-License-Identifier: Apache-2.0
// Threads that spin are put aside until something is written.
#include "src/base/check.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/fairness/recent_reads.h"
#include "src/runtime/scheduler/scheduling_point.h"
#include "src/runtime/scheduler/time/timers.h"

namespace jostle::rt {

void Scheduler::saw(const Operation& op, uint64_t value) {
  Thread& t = *current_;
  if (g_recent_reads.wanted()) [[unlikely]]
    g_recent_reads.add(t.index, op, value);
  if (decides_all_) {
    if (!is_about_lock(op.kind)) note_read(t, op, value);
  } else if (t.spin.read(op.pc, op.object, value)) {
    put_aside(t);
  }
}

void Scheduler::put_aside(Thread& t) {
  if (t.aside) return;
  JOSTLE_CHECK(t.live);
  if (g_actions.active()) g_actions.gap(TrailGap::spinning, t.pending.pc);
  t.aside = true;
  ++spinners_;
  eligible_.erase(t.id);
}

bool Scheduler::others_may_go_on() const {
  if (current_->no_preempt != 0) return false;
  return enabled_.count() > 1 || timed_waiters_ != 0 || external_waiters_ != 0 ||
         g_next_timers.any();
}

void Scheduler::give_way_in_loop(uintptr_t pc) {
  const Operation op{OpKind::yield, 0, 0, pc};
  if (decides_all_) {
    // What it waits for is not seen: this run is the last one of such a search.
    g_actions.gap(TrailGap::spinning, pc);
    end_run(channel::Outcome::stopped, "a loop waits for what is not seen");
  }
  count_event(op);
  put_aside(*current_);
  reach_access(op.kind, op.size, op.object, op.pc);
}

void Scheduler::let_spinners_look() {
  fruitless_ = 0;
  watches_all_ = false;
  if (spinners_ == 0) return;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread* t = table_[id];
    if (!t->aside) continue;
    t->aside = false;
    t->stillness.disturb();
    t->spin.progress();
    if (is_enabled(*t)) eligible_.insert(t->id);
    JOSTLE_CHECK(spinners_ != 0);
    JOSTLE_CHECKED(--spinners_);
  }
  JOSTLE_CHECKED(JOSTLE_CHECK_EQ(spinners_, 0));
  spinners_ = 0;
}

}  // namespace jostle::rt
