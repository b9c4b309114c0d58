// SPDX-License-Identifier: Apache-2.0
// Who is passed over how often: for the check for starvation.
//
// Under most strategies that says nothing: they owe nobody a turn, and a thread that they hold back
// waits. So it counts only in the fair part of a run, in which everybody who can go on gets a turn
// (Scheduler::in_turn), and which begins early when the check is on. A thread that is passed over
// there more often than the limit is passed over by the program: by readers, say, of whom one is
// always inside while the writer waits.
#pragma once

#include "src/runtime/scheduler/thread.h"
#include "src/schedule/config.h"

namespace jostle::rt {

class Scheduler;

// So much of a run belongs to the strategy when starvation is looked for.
inline constexpr uint64_t kUnfairSteps = 10'000;

class Overtaking {
 public:
  void begin_run(const channel::Config& config);
  bool active() const { return active_; }

  void wait_begins(const Thread& thread);
  // `next` is about to execute its operation. Null, or who has been passed over too often now.
  Thread* executes(Scheduler& scheduler, const Thread& next);
  // Who was passed over most often of those who wait; null: nobody.
  Thread* most_overtaken(Scheduler& scheduler) const;

 private:
  uint32_t times(const Thread& thread) const;

  bool active_ = false;
  uint32_t limit_ = 0;
  EngineVector<uint32_t> times_;  // by ThreadId, since its wait began
};

extern Overtaking g_overtaking;

}  // namespace jostle::rt
