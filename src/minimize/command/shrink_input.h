// SPDX-License-Identifier: Apache-2.0
// Makes a failing input smaller: leaves out stretches, then makes bytes plain. A candidate is run
// once in a fresh process, following the failing schedule as far as it can (the strategy `replay`),
// because another input has other events; if it fails in the same way, its own schedule goes on
// with it.
#pragma once

#include <chrono>
#include <string>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"

namespace jostle::cli {

struct ShrunkInput {
  std::string bytes;
  Finding finding;  // with this input
  uint64_t runs = 0;
};

// `plan` without its descriptor 0.
Result<ShrunkInput> shrink_input(const LaunchPlan& plan, channel::Config config,
                                 const Finding& finding, const std::string& bytes,
                                 std::chrono::nanoseconds time, const Installation& installation);

}  // namespace jostle::cli
