// SPDX-License-Identifier: Apache-2.0
// What a command found, for the formats that other tools read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/formats/diagnostic.h"
#include "src/report/model/trace_model.h"

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
  Diagnostics warnings = {};           // races and orders of locks that no failure is about
  std::vector<TestResult> tests = {};  // `--each-test`: whose failures these are; empty: no tests
};

}  // namespace jostle::report
