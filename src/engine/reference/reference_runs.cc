// SPDX-License-Identifier: Apache-2.0
#include "src/engine/reference/reference_runs.h"

#include "src/engine/run_start.h"

namespace jostle::engine {

bool ReferenceRuns::run(Decider& decider) {
  strategy_.decider = &decider;
  Executor::Result result;
  do {
    begin_schedule(channel_, &strategy_, ++number_);
    result = executor_.run(number_);
  } while (result == Executor::Result::again);
  return result == Executor::Result::done;
}

bool shows_results(channel::Outcome outcome) {
  using channel::Outcome;
  return outcome != Outcome::running && outcome != Outcome::step_limit &&
         outcome != Outcome::timed_out && outcome != Outcome::cut_off &&
         outcome != Outcome::stopped && outcome != Outcome::unsupported;
}

}  // namespace jostle::engine
