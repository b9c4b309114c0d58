// SPDX-License-Identifier: Apache-2.0
// Why a recorded run fails: its end tells, or what it did differently from a schedule next to it
// that passes, which is run for that.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/target/execution.h"
#include "src/report/explain/explain.h"
#include "src/report/explain/stale_reads.h"

namespace jostle::cli {

// The standard library's code in the program, so that a recorded operation is attributed to the
// line that called it. Empty when that cannot be found out.
std::vector<channel::StopRange> library_code(const LaunchPlan& plan,
                                             const Installation& installation);

// What the run did, for another that follows it.
ScheduleLog log_of(const Execution& run);
// As a replay file keeps it.
std::string claim_text(const Claim& claim);
// Makes the configuration of a replay that of the same schedule with a change.
void prepare_change(channel::Config& config, std::string_view claim);

// `plan` and `config` are those of the replay that `failing` is the result of. Standard input of
// the plan is read from its beginning every time, if it is a file.
struct Diagnosis {
  report::Explanation why = {};
  // The schedule that passes which it speaks of, when that is more than a change of this one.
  std::optional<ScheduleLog> passing = {};
};
// What minimising has found out besides.
struct KnownAround {
  std::vector<ScheduleLog> passing = {};  // schedules next to it
  uint64_t sequential = 0;  // sequentially consistent ones that were tried and do not fail so
};
Diagnosis diagnose(const Execution& failing, LaunchPlan plan, channel::Config config,
                   const KnownAround& around, const Installation& installation);

}  // namespace jostle::cli
