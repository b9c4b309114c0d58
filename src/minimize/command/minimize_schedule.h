// SPDX-License-Identifier: Apache-2.0
// Asks the target itself for a smaller schedule that fails in the same way
// (src/minimize/target/minimize_run.h), and watches it while it looks for one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"

namespace jostle::cli {

struct Minimized {
  Finding original;
  Finding smallest;          // that of the original when nothing smaller was found
  bool found = false;        // `smallest` has been run and fails; strict replay has to confirm it
  bool is_minimum = false;   // all schedules with fewer preemptions were tried
  std::string why_not = {};  // not found: one sentence
  uint64_t runs = 0;         // that it took
  std::chrono::nanoseconds elapsed{};
  uint64_t sequential = 0;  // sequentially consistent schedules that were tried and do not fail so
  std::vector<ScheduleLog> passing = {};  // schedules next to the smallest that do not fail
};

uint64_t preemptions_of(const ScheduleLog& log);

// Why a failure of this kind is not minimised; empty: it is.
std::string why_not_minimized(const channel::Failure& end);

// `config`: that of the campaign, or of the recording. A process that dies on the way leaves what
// it had found so far.
Result<Minimized> minimize(LaunchPlan plan, channel::Config config, const Finding& original,
                           std::chrono::nanoseconds time, const Installation& installation);

}  // namespace jostle::cli
