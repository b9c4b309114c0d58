// SPDX-License-Identifier: Apache-2.0
// Time-outs that may strike at any time, for strategies that explore all schedules.
//
// Sleeps and locks with a time-out need no choice. Who sleeps can always go on, and so can who
// wants a lock until some time: it gets it, or finds that others have it. When that happens is a
// matter of the order of steps, like everything else.
//
// Any other wait ends by its time-out or because of others: a choice where it begins. If it is the
// time-out, that strikes at once. A thread that waits does nothing, and whom a signal wakes is a
// choice among the others: so what can follow a later time-out can follow this one, too. If it is
// the others, the time-out does not strike any more. When nobody can go on then, the run stands for
// one in which it has struck, and ends without being one.
//
// The clock goes forward when a time-out strikes. That matters if the program reads it: see
// trail_reader.h.
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/strategy/decider.h"

namespace jostle::rt {

bool Scheduler::strikes_whenever(const Thread& t) const {
  switch (t.pending.kind) {
    case OpKind::sleep:
    case OpKind::mutex_lock:
    case OpKind::rwlock_read:
    case OpKind::rwlock_write:
    case OpKind::sem_wait:
      return any_time_outs_;
    default:
      return false;
  }
}

// Logged in any case: a replay asks for it.
bool Scheduler::choose_time_out(Thread& t, ChoiceKind kind) {
  if (strikes_whenever(t)) {
    if (decider_) decider_->choose({.kind = kind, .alternatives = 2, .is_settled = true});
    return log_choice(kind, 2, 1) == 1;
  }
  // A loop that waits until something is so may time out for ever.
  if (time_outs_left_ == 0) {
    g_actions.gap(TrailGap::time_outs, t.pending.pc);
    if (decider_) decider_->choose({.kind = kind, .alternatives = 2, .is_settled = true});
    t.waits_for_others = true;
    return log_choice(kind, 2, 0) == 1;
  }
  const bool strikes = choose(kind, 2) == 1;
  time_outs_left_ -= strikes;
  t.waits_for_others = !strikes;
  return strikes;
}

bool Scheduler::strikes_at_once(const Thread& t, const WaitOptions& options, bool ready) const {
  if (!t.timed_wait || ready || options.event_loop || strikes_whenever(t)) return false;
  return t.time_is_eager || clock_ >= t.deadline || live_ == 1;
}

void Scheduler::end_if_time_outs_are_left() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (!t.live || !t.in_lot || !t.waits_for_others) continue;
    g_actions.blocked();
    end_run(channel::Outcome::stopped, "a wait ends by its time-out in another run");
  }
}

}  // namespace jostle::rt
