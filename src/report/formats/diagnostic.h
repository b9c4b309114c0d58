// SPDX-License-Identifier: Apache-2.0
// What was found as a compiler would say it, for editors: a line of the source, a level and a
// sentence. Notes belong to the error or warning before them: why it fails, what the other threads
// did, where they were preempted, how to see it again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/text/race_groups.h"
#include "src/report/words/code_line.h"

namespace jostle::report {

struct TraceModel;
struct RunResult;

struct Diagnostic {
  enum class Level : uint8_t { error, warning, note };
  Level level = Level::error;
  CodeLine at = {};  // not known: said of the program as a whole
  std::string text = {};
};
std::string_view name(Diagnostic::Level level);

using Diagnostics = std::vector<Diagnostic>;

// One error with its notes.
Diagnostics failure_diagnostics(const TraceModel& model);
// A warning, or an error if races count as failures, at the later access; a note at the other.
Diagnostics race_diagnostics(const std::vector<RaceGroup>& groups, bool are_failures);

// A diagnostic per line, in the shape of gcc's: "bank.cc:45:1: error: …". What has no line is at
// the first of `program`: every line has the same shape.
std::string gcc_text(const Diagnostics& diagnostics, const std::string& program);
std::string gcc_text(const RunResult& result);

}  // namespace jostle::report
