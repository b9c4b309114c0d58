// SPDX-License-Identifier: Apache-2.0
// The warnings of a campaign about the order of locks: for the end of `jostle fuzz` and the
// statistics.
#pragma once

#include <string>
#include <vector>

#include "src/report/model/trace_model.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/code_line.h"
#include "src/schedule/hub.h"

namespace jostle::cli {

struct LockOrderWarning {
  struct Step {
    std::string held, held_at;      // a lock and where it was taken
    std::string wanted, wanted_at;  // the one that was taken next
    uint64_t schedule_number = 0;   // that showed it first
    report::CodeLine held_line = {}, wanted_line = {};
  };
  std::vector<Step> steps;  // one thread each
};

// A thread of a deadlock that was found: where it took a lock, and where it waits.
struct TakenBefore {
  report::CodeLine held, wanted;
};
std::vector<TakenBefore> taken_in_deadlock(const report::TraceModel& model);
// Is this what the warning is about? It says nothing new then.
bool is_found(const LockOrderWarning& warning, const std::vector<TakenBefore>& deadlock);

std::vector<LockOrderWarning> lock_order_warnings(const Hub& hub, report::Symbolizer& symbols);

// For the terminal; "" when there are none.
std::string describe_lock_order(const std::vector<LockOrderWarning>& warnings, size_t columns);

}  // namespace jostle::cli
