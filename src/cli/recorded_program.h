// The program of a recording: where it is now, whether it is still the same, how to start it.
#pragma once

#include "src/cli/error.h"
#include "src/cli/launch.h"
#include "src/cli/recording.h"
#include "src/cli/target.h"

namespace jostle::cli {

struct FoundProgram {
  Target target;
  bool moved = false;  // not where it was, but under the name it was given from here
};

// Refuses a file that has changed unless `force`; then it says so and goes on.
Result<FoundProgram> find_recorded_program(const RecordedProgram& program, bool force);

// Arguments and directory as recorded. Standard input is the caller's business.
LaunchPlan plan_recorded(const Recording& recording, const FoundProgram& found);

}  // namespace jostle::cli
