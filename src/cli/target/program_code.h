// SPDX-License-Identifier: Apache-2.0
// The functions of a program and of the libraries it is linked with.
#pragma once

#include <string>
#include <vector>

#include "src/cli/support/error.h"
#include "src/cli/target/execution.h"
#include "src/report/symbols/functions.h"
#include "src/schedule/code_location.h"

namespace jostle::cli {

struct ModuleCode {
  std::string path;
  uint64_t name_hash = 0;
  bool instrumented = false;
  std::vector<report::Function> functions = {};

  channel::CodeLocation location(uint64_t address) const { return name_hash << 48 | address; }
};

// Starts the program, asks it what is loaded, and ends it before main. The functions of
// instrumented modules are read, those of others are not.
Result<std::vector<ModuleCode>> probe_program(const LaunchPlan& plan,
                                              const Installation& installation);

}  // namespace jostle::cli
