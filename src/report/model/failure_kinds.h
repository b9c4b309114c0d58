// SPDX-License-Identifier: Apache-2.0
// Kinds of failure: their names in files and folders, and the headline of each.
#pragma once

#include <string>
#include <string_view>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// "assert", "deadlock", …: used as the folder's name and in files. Outcomes that are no failure
// have names too: "running", "ok" (exit status 0), "diverged", "unsupported".
std::string_view kind(const channel::Failure& end);
std::string_view kind(channel::Outcome outcome);
// The inverse; false when there is no such kind.
bool outcome_from_kind(std::string_view name, channel::Outcome& outcome);

// Is this a bug of the program? An exit with a status counts when `exit_is_failure`.
bool is_failure(const channel::Failure& end, bool exit_is_failure);

// "SIGSEGV"; "signal 99" for the unknown.
std::string signal_name(int signal);

// "FAILED", "CRASHED", "DEADLOCK", …: the first word of the headline.
std::string_view verdict(channel::Outcome outcome);

// What happened, without the verdict: "assertion `total == 300' in audit() at bank.cc:41".
std::string summary(const channel::RunRecord& record, Symbolizer& symbols, Names& names);
// The same from what a replay file or a finding keeps, without symbols.
std::string summary(const channel::Failure& end);

// Do two runs end in the same way? Outcome, code, and what the message of an assertion, an
// exception or a misuse says and where.
bool same_failure(const channel::Failure& a, const channel::Failure& b);

}  // namespace jostle::report
