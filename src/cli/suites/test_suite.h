// SPDX-License-Identifier: Apache-2.0
// The tests of a program, or of a build folder of CMake's, each as something that can be run by
// itself: what `jostle fuzz --each-test` goes through.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"

namespace jostle::cli {

struct TestCase {
  std::string name;        // as its framework calls it
  std::string suite = {};  // JUnit's names, as the framework's own reporter has them
  std::string class_name = {};
  std::string label = {};
  std::vector<std::string> command = {};
  std::string directory = {};                                         // where it runs; empty: here
  std::vector<std::pair<std::string, std::string>> environment = {};  // besides ours
  bool any_exit_is_ok = false;  // its output, or that it fails, is what is tested
  int skip_code = 0;            // an exit status that is no failure; 0: none
  std::string left_out = {};    // why it is not tested; empty: it is
};

struct TestSuite {
  std::string framework;  // "GoogleTest", "ctest"
  std::string name;       // of the program or folder: names the output folder
  std::vector<TestCase> tests;
};

struct SuiteRequest {
  std::vector<std::string> program;  // or a folder; with the user's arguments
  bool with_uninstrumented = false;  // of ctest's tests
};

// At least one test that is not left out; otherwise an error says why.
Result<TestSuite> find_tests(const SuiteRequest& request, const Installation& installation);

// Of a folder with CTestTestfile.cmake; for find_tests.
Result<TestSuite> find_ctest_tests(const SuiteRequest& request);
// From what `ctest --show-only=json-v1` prints; programs are not looked at.
Result<TestSuite> read_ctest_list(const std::string& output, const std::string& folder);

}  // namespace jostle::cli
