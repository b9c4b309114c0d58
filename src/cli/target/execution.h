// SPDX-License-Identifier: Apache-2.0
// One controlled execution from start to end, in a process of its own.
//
// What `run`, `replay` and `doctor` do once and `fuzz` does for every finding. However the process
// ends, the record in the channel says how: what the runtime could not write (it was killed, or
// ended behind our back) is filled in from the status of the process.
#pragma once

#include "src/cli/recording/schedule_log.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/shared_channel.h"

namespace jostle::cli {

struct Execution {
  SharedChannel channel;
  int status = 0;            // of waitpid
  bool interrupted = false;  // by the user, through us
  bool out_of_time =
      false;  // by the end of the plan's budget: how it would have ended is not known

  const channel::RunRecord& record() const { return channel->record; }
};

// Runs the plan to its end. `input`: the schedule that a replay follows, or null. The real-time
// limit of `config` is kept by the runtime, and by us if that fails; the budget of the plan by us.
Result<Execution> execute(const LaunchPlan& plan, const channel::Config& config,
                          const ScheduleLog* input, const Installation& installation);

// Makes `config` that of a replay of a run that ended in `failure`.
void prepare_replay(channel::Config& config, const channel::Failure& failure);

// Completes `end` of a run whose process ended with `status`.
void settle(channel::Failure& end, int status, bool killed_by_us);

// The process ended with `status` before the runtime could attach itself to the channel.
Error not_attached(const LaunchPlan& plan, const channel::Channel& channel, int status);

// A check inside the runtime was violated (base/check.h): our own bug, not a failure of the
// program.
MaybeError broken_check(const channel::Channel& channel);

// Exit code of a process as a shell shows it: 128+n for a signal.
int shell_code(int status);

}  // namespace jostle::cli
