// SPDX-License-Identifier: Apache-2.0
// What kind of file the user wants to run, found out before it is started.
//
// Every program that cannot be controlled is refused here with one line and an exit code of its
// own. A program that can be controlled only in part (not instrumented) is marked, so that the
// commands can say so once.
#pragma once

#include <cstdint>
#include <string>

#include "src/cli/support/error.h"

namespace jostle::cli {

struct Target {
  std::string given;          // as the user typed it: argv[0], and what messages call it
  std::string path;           // for execve: with a slash, relative to our working directory
  std::string absolute;       // the same, absolute
  std::string name;           // base name: "bank", names the output folder
  bool instrumented = false;  // refers to the thread sanitizer's hooks
  std::string build_id;       // hexadecimal; empty when the linker made none
  uint64_t size = 0;
};

// Finds the program as execvp would and looks into it.
Result<Target> examine_target(const std::string& given);

// A hash of the whole content, for programs without a build id. Empty when it cannot be read.
std::string content_hash(const std::string& path);

// The line for a program without instrumentation.
std::string not_instrumented_note(const Target& target);

}  // namespace jostle::cli
