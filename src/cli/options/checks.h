// SPDX-License-Identifier: Apache-2.0
// `--check`, `--fail-on` and `--suppressions`: what is looked for beside the program's own
// failures, and what of it counts as one.
//
// A check is a line in the table of checks.cc and a bit of channel::Check.
#pragma once

#include <optional>
#include <string>

#include "src/cli/options/command_line.h"
#include "src/schedule/config.h"

namespace jostle::cli {

struct CheckOptions {
  std::string suppressions = {};                 // file
  std::optional<uint32_t> volatile_atomic = {};  // as in the configuration, when it was said
};

void add_check_options(CommandLine& line, channel::Config& config, CheckOptions& options);

// "race,heap": exactly these. "all", "none". "-race": the default ones without it. What is wrong
// with the text, or nothing.
std::optional<std::string> read_checks(const std::string& text, uint32_t defaults,
                                       uint32_t& checks);

// "race,heap", "none"
std::string check_names(uint32_t checks);

}  // namespace jostle::cli
