// SPDX-License-Identifier: Apache-2.0
// What a command that runs a program many times needs before the first run.
#pragma once

#include <cstdint>
#include <string>

#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/standard_input.h"
#include "src/cli/target/target.h"

namespace jostle::cli {

// Limits of a run unless the user says otherwise.
inline constexpr uint64_t kDefaultSteps = 1'000'000;
inline constexpr uint64_t kDefaultRunNanoseconds = 10'000'000'000;

struct ManyRuns {
  Target target;
  Installation installation;
  StandardInput input;
};

// The first thing that is not as it should be, or all of it.
Result<ManyRuns> prepare_many_runs(const std::string& program);

}  // namespace jostle::cli
