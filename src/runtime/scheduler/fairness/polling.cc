// SPDX-License-Identifier: Apache-2.0
// When everybody only polls, the clock goes on by large steps: see polling.h. At which reading of
// the clock that begins and ends is in the log.
#include "src/runtime/scheduler/fairness/polling.h"

#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/time/external.h"
#include "src/runtime/scheduler/time/timers.h"

namespace jostle::rt {

// A thread that is watched is about to ask for the time.
bool Scheduler::goes_on_polling(Thread& t, uintptr_t pc) {
  const uint64_t written = words_left_by(t);
  if (written == 0) return found_moving(t);
  Polling& polling = t.polling;
  const auto words = static_cast<uint32_t>(t.stillness.written_words().size());
  if (!polling.active() || (polling.pc == pc && polling.words != words)) {
    polling = {.pc = pc, .words = words, .since = clock_, .since_event = total_events()};
  }
  if (polling.pc == pc && !polling.knows(written)) return found_moving(t);
  if (polling.is_long(clock_, total_events()) && everybody_polls()) {
    wants_large_steps_ = true;
    for (ThreadId id = 0; id < slots_used_; ++id) {
      Thread& each = *table_[id];
      if (each.live && each.stillness.watching()) each.stillness.start(true);
    }
  }
  return false;
}

// Every thread that can run, or that time lets run again.
bool Scheduler::everybody_polls() const {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (!t.live || t.stopped || !(is_enabled(t) || t.timed_wait)) continue;
    if (!t.stillness.watching() || !t.polling.is_long(clock_, total_events())) return false;
  }
  return !g_next_timers.any() && !outside_may_interfere();
}

// Before the clock is read.
void Scheduler::choose_steps_of_clock() {
  uint32_t picked = 0;
  if (follower_.active()) {
    picked = follower_.choice_of_operation(ChoiceKind::clock, 3, *current_);
  }
  if (picked == 0 && !follows()) {
    if (!current_->stillness.watching()) wants_large_steps_ = false;  // not all poll any more
    if (wants_large_steps_ != has_large_steps_) picked = wants_large_steps_ ? 1 : 2;
  }
  if (picked == 0) return;
  log_choice_of_operation(ChoiceKind::clock, 3, picked);
  has_large_steps_ = wants_large_steps_ = picked == 1;
  large_steps_from_ = clock_;
}

Nanoseconds Scheduler::in_large_steps(Nanoseconds time) const {
  if (time > kNever / 2) return time;
  const Nanoseconds passed = time - large_steps_from_ + Polling::kLargeStep - 1;
  return large_steps_from_ + passed / Polling::kLargeStep * Polling::kLargeStep;
}

}  // namespace jostle::rt
