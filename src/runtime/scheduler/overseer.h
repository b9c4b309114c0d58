// SPDX-License-Identifier: Apache-2.0
// Who looks at every step before it is taken: a person who steps through a run.
//
// An overseer replaces the decider's picks only. All else is asked of the decider itself, which the
// overseer may replace in the middle of a run (Scheduler::let_decide).
#pragma once

#include "src/strategy/decider.h"

namespace jostle::rt {

class Overseer {
 public:
  virtual ~Overseer() = default;
  // Who runs next: the decider's pick, or somebody else.
  virtual ThreadId pick(const View& view) = 0;
  // `id` is about to run: it was picked, or nobody was asked because there is no choice.
  virtual void goes(const View& view, ThreadId id) = 0;
};

}  // namespace jostle::rt
