// SPDX-License-Identifier: Apache-2.0
// What a program prints when it is asked something, as `--list-tests`: run as it is, not under
// control.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "src/cli/support/error.h"

namespace jostle::cli {

struct ProgramOutput {
  std::string out = {}, err = {};
  int exit_code = -1;  // -1: a signal ended it
  bool timed_out = false;
};

// command[0] is looked up in PATH when it has no slash. `directory`: where it runs; empty: here.
// `libraries`: a folder in front of LD_LIBRARY_PATH; empty: none. Reads nothing; what runs for
// longer is killed, and so is what it has started.
Result<ProgramOutput> output_of(const std::vector<std::string>& command,
                                const std::string& directory, const std::string& libraries,
                                std::chrono::nanoseconds longest);

}  // namespace jostle::cli
