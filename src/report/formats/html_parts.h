// SPDX-License-Identifier: Apache-2.0
// The parts of report.html that are there without its script: what failed, with which values, why,
// where it comes from, and the last steps as a table. Everything in them is quoted.
#pragma once

#include <string>
#include <string_view>

#include "src/report/model/trace_model.h"

namespace jostle::report {

std::string html_quote(std::string_view text);

// The counterexample, or what was read in the line that failed; empty when neither is known.
std::string values_html(const TraceModel& model);
// The sentences, with a link for each operation in them; empty when there are none.
std::string why_html(const TraceModel& model);
// Sleeps and time-outs that ended early; empty when none did.
std::string early_html(const TraceModel& model);
// Program, seed, date, and so on: entries of a list.
std::string facts_html(const TraceModel& model);
// The last steps and those that the explanation is about, the stack, who waits.
std::string steps_html(const TraceModel& model);

}  // namespace jostle::report
