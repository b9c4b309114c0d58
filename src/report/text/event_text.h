// SPDX-License-Identifier: Apache-2.0
// One event of a model in words, the same in every format.
#pragma once

#include <string>
#include <string_view>

#include "src/report/model/trace_model.h"
#include "src/schedule/schedule.h"

namespace jostle::report {

// "write total = 50", "lock accounts"
std::string operation_text(const TraceModel& model, const EventModel& event);

// "bank.cc:22"; "prog+0x1234" without debug information.
std::string place_text(const Place& place);

// Why a segment of a schedule ended: "preempted", "blocked", …; also in replay files.
std::string_view segment_end(const channel::Segment& segment);

// What is left out of a model, as sentences; empty when nothing is.
std::string left_out_text(const TraceModel& model);

}  // namespace jostle::report
