// What a command that runs a program many times needs before the first run.
#pragma once

#include <string>

#include "src/cli/error.h"
#include "src/cli/launch.h"
#include "src/cli/standard_input.h"
#include "src/cli/target.h"

namespace jostle::cli {

struct ManyRuns {
  Target target;
  Installation installation;
  StandardInput input;
};

// The first thing that is not as it should be, or all of it.
Result<ManyRuns> prepare_many_runs(const std::string& program);

}  // namespace jostle::cli
