// SPDX-License-Identifier: Apache-2.0
// How a run of today's program ended, beside what was recorded of an earlier one.
#pragma once

#include <optional>
#include <string>

#include "src/cli/options/suppressions.h"
#include "src/cli/recording/recording.h"
#include "src/cli/target/execution.h"
#include "src/report/words/code_line.h"

namespace jostle::cli {

// A run, and what it wrote.
struct HeardRun {
  Execution execution;
  std::string output, errors;

  const channel::RunRecord& record() const { return execution.record(); }
};

struct SeenFailure {
  bool is_same = false;  // as the recorded one
  uint64_t identity = 0;
  std::string text = {};  // what a report calls it
  report::CodeLine at = {};
  channel::Failure end = {};
};

// Nothing when the run did not fail: by the recording's exit codes, and but for races that are
// suppressed.
std::optional<SeenFailure> failure_of(const HeardRun& run, const Recording& recording,
                                      const Suppressions& suppressions);

}  // namespace jostle::cli
