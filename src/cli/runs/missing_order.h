// SPDX-License-Identifier: Apache-2.0
// Which memory order is missing in a program that fails only with weak memory, or has a data race:
// found by trying, with places of the program treated as stronger than they are.
#pragma once

#include <string>

#include "src/cli/target/execution.h"

namespace jostle::cli {

// "With acquire at deque.h:41 and release at deque.h:27 this does not happen any more (1,000
// schedules tried).", or nothing. `plan` and `config` are those of the replay that `failing` is the
// result of; the plan's output goes nowhere.
std::string missing_order(const Execution& failing, const LaunchPlan& plan,
                          const channel::Config& config, const Installation& installation);

}  // namespace jostle::cli
