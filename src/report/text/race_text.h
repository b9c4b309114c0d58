// SPDX-License-Identifier: Apache-2.0
// Data races as text: a line for lists, and a whole block with both stacks.
#pragma once

#include <span>
#include <string>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/text/race_groups.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

std::span<const channel::RaceRecord> races(const channel::RunRecord& record);

// "write of 8 bytes", "atomic read of 4 bytes", "free"
std::string race_access_kind(const channel::RaceAccess& access);

// What is known of a race, in words; stacks with the frames of libraries folded.
SeenRace describe_race(const channel::RaceRecord& race, Symbolizer& symbols, Names& names);

// "hits: T2 worker writes (a.cc:9), T1 worker wrote (a.cc:9)"
std::string race_line(const channel::RaceRecord& race, Symbolizer& symbols, Names& names);

// Both accesses with stacks and locks, and what they touch; ends in a newline. `fold_libraries`:
// see stack_lines.
std::string race_block(const channel::RaceRecord& race, Symbolizer& symbols, Names& names,
                       bool fold_libraries);

}  // namespace jostle::report
