// SPDX-License-Identifier: Apache-2.0
// What every scheduling point does, inlined where it is done: for scheduler.cc, waits.cc
// and access.cc.
#pragma once

#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/fairness/overtaking.h"
#include "src/runtime/scheduler/fairness/recent_reads.h"
#include "src/runtime/scheduler/plain_decision.h"
#include "src/runtime/scheduler/requests.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/switch.h"
#include "src/runtime/scheduler/waits/interruption.h"

namespace jostle::rt {

// What other threads asked of this one while it did not run: signals, asynchronous cancellation.
inline void Scheduler::act_on_requests(Thread& t, bool is_executed) {
  if (!signal_word(t.signals_pending) && !t.cancel_requested) [[likely]]
    return;
  if (!has_request(t)) return;
  if (g_actions.active()) g_actions.gap(TrailGap::signals, t.pending.pc);
  const TracedOperation interrupted = is_executed ? TracedOperation{} : set_traced_aside();
  if (has_deliverable_signal(t)) deliver_pending_signals(nullptr);
  if (t.cancel_requested && t.cancel_asynchronous) end_if_cancelled();
  ++t.events;  // a handler had events of its own: the operation it interrupted gets a new number
  if (interrupted.event) [[unlikely]]
    take_up_traced(interrupted);
  arm_limits(t);
}

inline void Scheduler::saw_plainly(uintptr_t pc, uintptr_t object, uint32_t size, OpKind kind,
                                   uint64_t value) {
  if (decides_all_ || g_recent_reads.wanted()) [[unlikely]]
    return saw({kind, size, object, pc}, value);
  if (current_->spin.read(pc, object, value)) [[unlikely]]
    put_aside(*current_);
}

// Nobody else could run, or may here: there is nothing to decide.
inline bool Scheduler::goes_alone(Thread& t) {
  const bool no_others = enabled_.count() == 1 && !t.aside && !decides_all_;
  if (!no_others && !filtered_ && !thinning_.active()) [[likely]]
    return false;
  return may_go_alone(t);
}

// One of many in a long run: others may run at another one.
inline bool Scheduler::is_thinned_out(const Thread& t) const {
  if (!thinning_.active() || t.aside || t.at_stop || guided_ || follower_.active()) return false;
  return thinning_.skips(is_memory(t.pending.kind), total_events());
}

// The parts instead of an Operation: copying one that has just been written stalls the processor.
inline __attribute__((always_inline)) void Scheduler::reach_access(OpKind kind, uint32_t size,
                                                                   uintptr_t object, uintptr_t pc) {
  Thread& t = *current_;
  act_on_requests(t);  // those that came during a wait
  t.pending.kind = kind;
  t.pending.size = size;
  t.pending.object = object;
  t.pending.pc = pc;
  if (touched_.active()) note_touched(t);
  if (notes_more_) [[unlikely]]
    note_more(t);
  if (is_plain_decision()) [[likely]] {
    JOSTLE_CHECKED(check_at_decision());
    t.ready = {};
    Thread* const next = pick_plainly();
    if (next == &t) {
      go_on_plainly(t);
    } else {
      leave_plainly(t, *next);
      act_on_requests(t);
    }
  } else if (!goes_alone(t)) {
    t.ready = {};
    yield_to_others(t);
    act_on_requests(t);
  }
  if (g_reads_from.active()) g_reads_from.executed(t.index, kind, size, object, pc);
  if (g_actions.active()) g_actions.operation(kind, object, size, pc);
  if (g_races.active()) g_races.executed(kind, size, object, pc);
}

// `next` gets what others may be waiting for.
inline void look_for_starvation(Scheduler& scheduler, const Thread& next) {
  if (const Thread* starved = g_overtaking.executes(scheduler, next)) {
    fail_starved(*starved);
  }
}

}  // namespace jostle::rt
