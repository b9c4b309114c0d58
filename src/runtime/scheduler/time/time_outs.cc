// SPDX-License-Identifier: Apache-2.0
// Time-outs that may strike at any time, for strategies that explore all schedules.
//
// Sleeps and locks with a time-out need no choice. Who sleeps can always go on, and so can who
// wants a lock until some time: it gets it, or finds that others have it. When that happens is a
// matter of the order of steps, like everything else.
//
// Waits for condition variables and futexes end by their time-out or because of others: a choice
// where they begin. If it is the time-out, that strikes at once. A thread that waits does nothing,
// and whom a signal wakes is a choice among the others: so what can follow a later time-out can
// follow this one, too. If it is the others, the time-out does not strike any more. When nobody can
// go on then, the run stands for one in which it has struck, and ends without being one.
//
// The choice is there whatever the others have done so far: otherwise steps would depend on each
// other without having an object in common. A replay is not asked where there is none in fact.
//
// The clock goes forward when a time-out strikes. That matters if the program reads it: see
// trail_reader.h. All other waits (joins, descriptors) time out late.
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

bool Scheduler::chooses_time_out(const Thread& t) const {
  return t.pending.kind == OpKind::cond_wait || t.pending.kind == OpKind::futex_wait;
}

void Scheduler::choose_time_out(Thread& t, ChoiceKind kind, bool is_logged) {
  const bool strikes_anywhere = strikes_whenever(t);
  // Too late: what others have done to the clock matters although the program does not read it.
  if (!strikes_anywhere && clock_ >= t.deadline) {
    g_actions.operation(OpKind::clock, 0, 0, t.pending.pc);
  }
  // A loop that waits until something is so may time out for ever.
  const bool are_too_many = !strikes_anywhere && t.early_time_outs == kMostTimeOuts;
  if (are_too_many) g_actions.gap(TrailGap::time_outs, t.pending.pc);
  const bool is_settled = strikes_anywhere || are_too_many;
  uint32_t picked = strikes_anywhere ? 1 : 0;
  if (is_logged || !is_settled) {
    const uint32_t answer = decider_->choose(
        {.kind = kind, .alternatives = 2, .is_settled = is_settled, .is_logged = is_logged});
    if (!is_settled) picked = answer;
  }
  if (!is_settled) g_actions.chose(kind, 2, picked);
  if (is_logged) log_choice(kind, 2, picked);
  t.time_is_eager = picked == 1;
  if (strikes_anywhere) return;
  t.early_time_outs += picked;
  t.waits_for_others = picked == 0;
  if (picked == 1 || clock_ < t.deadline) return;
  // It cannot wait any more: that is another run, and this one has to do without the thread.
  const auto* object = reinterpret_cast<const void*>(t.pending.object);
  if (t.pending.kind == OpKind::cond_wait) {
    g_actions.act(Act::leave, object);
  } else {
    g_actions.leaves_queue(object);
  }
  end_wait(t);
  t.waits_for_others = true;
  wait_in_loop(t);
  yield_to_others(t);
}

bool Scheduler::strikes_at_once(const Thread& t, const WaitOptions& options, bool ready) const {
  return t.timed_wait && !ready && !options.event_loop && chooses_time_out(t) && t.time_is_eager;
}

void Scheduler::end_as_blocked() {
  g_actions.blocked();
  end_run(channel::Outcome::stopped, "a wait ends by its time-out in another run");
}

void Scheduler::end_if_time_outs_are_left() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (t.live && !is_enabled(t) && t.waits_for_others) end_as_blocked();
  }
}

}  // namespace jostle::rt
