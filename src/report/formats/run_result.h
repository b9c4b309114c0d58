// SPDX-License-Identifier: Apache-2.0
// What a command found, for the formats that other tools read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/formats/diagnostic.h"
#include "src/report/model/trace_model.h"
#include "src/report/words/code_line.h"

namespace jostle::report {

// A failure that did not show again in a fresh process.
struct Unconfirmed {
  std::string kind, summary, why;
};

// A test of a test program, which had a campaign of its own.
struct TestResult {
  std::string suite, class_name, name;  // as the framework's own JUnit reporter has them
  uint64_t schedules = 0;
  double seconds = 0;
  std::vector<size_t> failures = {};  // of the result's
  std::vector<Unconfirmed> unconfirmed = {};
  std::string problem = {};  // why it could not be tested
  std::string skipped = {};  // why it was left out
};

// A finding of earlier times, and what became of it in the program of today.
struct KnownFinding {
  enum class Today : uint8_t { fails, fixed, not_followed };
  std::string name;  // of its folder
  std::string kind;
  Today today = Today::fails;
  std::string text;       // in words
  CodeLine at = {};       // of today's failure
  uint64_t identity = 0;  // of it
  std::string replay = {};
  double seconds = 0;
};

struct RunResult {
  std::string command;  // "fuzz", "replay", "run"
  std::string version;  // of jostle
  std::string program;
  std::vector<std::string> arguments = {};
  std::string directory = {};  // files below it are named relative to it; absolute
  uint64_t schedules = 1;
  double seconds = 0;
  int exit_code = 0;
  std::string problem = {};  // why the command could not do its work; empty: it did
  std::vector<TraceModel> failures = {};
  std::vector<Unconfirmed> unconfirmed = {};
  Diagnostics warnings = {};             // races and orders of locks that no failure is about
  std::vector<KnownFinding> known = {};  // `--regress`, or a folder that was replayed
  std::vector<TestResult> tests = {};    // `--each-test`: whose failures these are; empty: no tests
};

}  // namespace jostle::report
