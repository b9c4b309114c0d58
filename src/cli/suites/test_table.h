// SPDX-License-Identifier: Apache-2.0
// What came of the tests of `jostle fuzz --each-test`: the table at the end, and the same for
// machines (tests.json, `--json`, `--format`).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "src/cli/findings/stats.h"
#include "src/cli/suites/test_suite.h"
#include "src/report/formats/failure_json.h"
#include "src/report/formats/run_result.h"

namespace jostle::cli {

struct TestOutcome {
  TestCase test;
  bool was_run = false;     // false: it was left out, or there was an end before its turn
  std::string folder = {};  // its name below the program's
  CampaignResult campaign = {};
  std::vector<report::TraceModel> failures = {};
  std::string problem = {};  // why it could not be tested
  Exit exit = Exit::ok;
};

struct TestRun {
  const TestSuite& suite;
  std::vector<TestOutcome>& outcomes;
  Exit exit;
  std::chrono::nanoseconds elapsed;
  std::string program;
  std::vector<std::string> arguments;
};

// "failed", "passed", "not_tested", "left_out", "not_run"
std::string_view verdict_of(const TestOutcome& outcome);

// A line for each test and one for all, no wider than `columns` where names allow it.
std::string test_table(const std::vector<TestOutcome>& outcomes, double seconds, size_t columns);

report::Json tests_json(const TestRun& run);
std::string tests_text(const TestRun& run);
// For documents; it takes the failures' models out of the outcomes.
report::RunResult run_result_of(const TestRun& run);

}  // namespace jostle::cli
