// SPDX-License-Identifier: Apache-2.0
// Where a program takes several locks at once: the code of std::lock, which std::scoped_lock calls.
//
// It takes one lock and tries the others; if it does not get one it gives everything back and
// begins anew with that one. Whoever explores all executions leaves such attempts out: an execution
// in which std::lock fails to get a lock ends like one in which it comes a bit later and gets all.
// See Scheduler::leave_out_attempt.
#pragma once

#include <vector>

#include "src/cli/target/execution.h"
#include "src/schedule/stop_range.h"

namespace jostle::cli {

// As ranges of kind kStopLocksAll, sorted. Empty when there is none, or no debug information.
std::vector<channel::StopRange> lock_functions(const LaunchPlan& plan,
                                               const Installation& installation);

}  // namespace jostle::cli
