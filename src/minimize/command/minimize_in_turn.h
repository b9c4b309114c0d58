// SPDX-License-Identifier: Apache-2.0
// A failing input and its schedule get small in turn: a smaller schedule may need less of the
// input, and less input fewer events. The input has been made small once before.
#pragma once

#include <chrono>
#include <string>

#include "src/minimize/command/minimize_schedule.h"
#include "src/minimize/command/shrink_input.h"

namespace jostle::cli {

struct MinimizedInTurn {
  Minimized schedule;  // with this input
  std::string bytes;
};

// `plan` without its descriptor 0. `time` is for each step.
Result<MinimizedInTurn> minimize_in_turn(const LaunchPlan& plan, const channel::Config& config,
                                         const Finding& finding, const std::string& bytes,
                                         std::chrono::nanoseconds time,
                                         const Installation& installation);

}  // namespace jostle::cli
