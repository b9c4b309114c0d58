// SPDX-License-Identifier: Apache-2.0
// `jostle verify --around FILE`: a recorded execution in the program of today, so that those around
// it can be explored.
#pragma once

#include "src/cli/campaign/fuzz_options.h"
#include "src/cli/options/strategy_start.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/standard_input.h"
#include "src/cli/target/target.h"

namespace jostle::cli {

// What was recorded counts as a failure, whatever else does.
void expect_failure(channel::Config& config, const channel::Failure& failure);

// Reads the file. Of a program that is not given, or only by its path, the rest is as recorded; of
// the settings, those without which its run could not be the same.
MaybeError load_around(FuzzOptions& options);

// As recorded.
Result<StandardInput> input_around(const FuzzOptions& options);

// The schedule to begin with: the recorded one, in a program that was built anew by names. What of
// it that does not have any more is noted in the options.
Result<StrategyStart> start_around(FuzzOptions& options, const Target& target, int input,
                                   const Installation& installation);

}  // namespace jostle::cli
