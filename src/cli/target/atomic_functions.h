// SPDX-License-Identifier: Apache-2.0
// The code of functions that are to look atomic (`--atomic 'Cache::*'`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/target/launch.h"
#include "src/schedule/stop_range.h"

namespace jostle::cli {

// Of patterns, one a line; sorted. Starts the program of the plan once. An error: there is none, or
// where one call ends and the next begins is not known because it was inlined.
Result<std::vector<channel::StopRange>> atomic_functions(const LaunchPlan& plan,
                                                         std::string_view patterns,
                                                         const Installation& installation);

}  // namespace jostle::cli
