// SPDX-License-Identifier: Apache-2.0
// Regression mode: every finding of a folder against the program as it is today, a line each, and
// what that means for who asked. docs/regressions.md describes it for users.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "src/cli/regression/regression.h"
#include "src/cli/support/error.h"
#include "src/report/formats/failure_json.h"
#include "src/report/formats/run_result.h"

namespace jostle::cli {

struct Regressions {
  std::vector<Regression> list = {};
  bool interrupted = false;
  std::chrono::nanoseconds elapsed{};

  size_t count(Verdict verdict) const;
  // 0: all are fixed. A failure is worse than a finding that means nothing any more.
  Exit exit() const;
};

// The findings in the folder that are of this program; the user hears of files that are none.
Result<std::vector<std::string>> findings_of(const std::string& folder, std::string_view program);

// In JSON: "still_there".
std::string_view name(Verdict verdict);

// Tries the files one after the other. Lines go to `text` as soon as they are known, and the sums
// behind them.
Regressions try_regressions(const std::vector<std::string>& files, const RegressionOptions& options,
                            const Suppressions& suppressions, const Installation& installation,
                            SignalWatch& signals, FILE* text);

// "still there  regressions/transfer  assertion `total == 300' …"
std::string regression_line(const Regression& regression);
// "3 findings in 5.2 s: 1 still there, 2 fixed"
std::string regressions_summary(const Regressions& regressions);

// For documents that other tools read.
std::vector<report::KnownFinding> known_findings(const Regressions& regressions);

// For `--format json` and for the statistics of a campaign: the findings alone.
report::Json regressions_json(const Regressions& regressions);

}  // namespace jostle::cli
