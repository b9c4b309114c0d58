// SPDX-License-Identifier: Apache-2.0
// The program of a recording: where it is now, whether it is still the same, how to start it.
#pragma once

#include "src/cli/recording/recording.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/target.h"

namespace jostle::cli {

struct FoundProgram {
  Target target;
  bool moved = false;  // not where it was, but under the name it was given from here
  bool quiet = false;  // as chosen
};

// What a user says about the program of a file that may be somebody else's.
struct ProgramChoice {
  std::string path = {};        // this one, whatever the file says
  bool force = false;           // one that has changed will do
  bool may_be_rebuilt = false;  // one that has changed will do where it was recorded
  bool quiet = false;           // nothing is said about it
};

// Finds it, refuses what the user cannot have meant, and says what is about to run. A file can name
// any program with any arguments: only one that was built with jostle runs without being named.
Result<FoundProgram> find_recorded_program(const RecordedProgram& program,
                                           const ProgramChoice& choice);

// Arguments and directory as recorded. Standard input is the caller's business.
LaunchPlan plan_recorded(const Recording& recording, const FoundProgram& found);

}  // namespace jostle::cli
