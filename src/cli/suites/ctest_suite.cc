// SPDX-License-Identifier: Apache-2.0
// The tests of a build folder, as ctest knows them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/cli/suites/test_suite.h"
#include "src/cli/target/program_output.h"
#include "src/cli/target/target.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// ctest may have to read thousands of files.
constexpr std::chrono::seconds kLongestListing{120};

bool is_on_in_cmake(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (!value.is_string()) return false;
  std::string text = value.get<std::string>();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return text == "1" || text == "ON" || text == "TRUE" || text == "YES" || text == "Y";
}

std::vector<std::string> texts(const json& value) {
  std::vector<std::string> result;
  if (value.is_string()) result.push_back(value.get<std::string>());
  if (!value.is_array()) return result;
  for (const json& item : value) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

// "PATH=path_list_prepend:/some/bin". False: a change that we do not know.
bool modify(const std::string& change, TestCase& test) {
  const size_t equals = change.find('='), colon = change.find(':', equals);
  if (equals == 0 || equals == change.npos || colon == change.npos) return false;
  const std::string name = change.substr(0, equals), value = change.substr(colon + 1);
  const std::string operation = change.substr(equals + 1, colon - equals - 1);
  auto entry = std::find_if(test.environment.begin(), test.environment.end(),
                            [&](const auto& variable) { return variable.first == name; });
  if (entry == test.environment.end()) {
    const char* ours = std::getenv(name.c_str());
    entry = test.environment.insert(entry, {name, ours == nullptr ? "" : ours});
  }
  std::string& text = entry->second;
  const std::string separator = operation.starts_with("path_list_")    ? ":"
                                : operation.starts_with("cmake_list_") ? ";"
                                                                       : "";
  const std::string between = text.empty() ? "" : separator;
  if (operation == "set") {
    text = value;
  } else if (operation.ends_with("_append")) {
    text += between + value;
  } else if (operation.ends_with("_prepend")) {
    text.insert(0, value + between);
  } else {
    return false;
  }
  return true;
}

// `changes` of the environment come when all properties are read.
void read_property(const std::string& name, const json& value, TestCase& test,
                   std::vector<std::string>& changes) {
  if (name == "WORKING_DIRECTORY" && value.is_string()) {
    test.directory = value.get<std::string>();
  } else if (name == "ENVIRONMENT") {
    for (const std::string& entry : texts(value)) {
      const size_t equals = entry.find('=');
      if (equals == 0 || equals == entry.npos) continue;
      test.environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
  } else if (name == "ENVIRONMENT_MODIFICATION") {
    for (const std::string& change : texts(value)) changes.push_back(change);
  } else if (name == "FIXTURES_REQUIRED" && !texts(value).empty()) {
    test.left_out = fmt::format("it needs the fixture {}", report::escape(texts(value)[0]));
  } else if (name == "DISABLED" && is_on_in_cmake(value)) {
    test.left_out = "disabled";
  } else if (name == "WILL_FAIL" && is_on_in_cmake(value)) {
    test.any_exit_is_ok = true;
  } else if (name == "PASS_REGULAR_EXPRESSION") {
    test.any_exit_is_ok = true;
  } else if (name == "SKIP_RETURN_CODE" && value.is_number_integer()) {
    const auto code = value.get<int64_t>();
    test.skip_code = code > 0 && code < 256 ? static_cast<int>(code) : 0;
  }
}

TestCase read_test(const json& entry) {
  TestCase test{entry.value("name", "")};
  test.suite = "ctest";
  test.class_name = test.label = test.name;
  if (entry.contains("command")) test.command = texts(entry["command"]);
  std::vector<std::string> changes;
  if (entry.contains("properties") && entry["properties"].is_array()) {
    for (const json& property : entry["properties"]) {
      if (!property.is_object() || !property.contains("value")) continue;
      read_property(property.value("name", ""), property["value"], test, changes);
    }
  }
  for (const std::string& change : changes) {
    if (!modify(change, test)) {
      test.left_out = fmt::format("it changes the environment by {}", report::escape(change));
    }
  }
  if (test.left_out.empty() && test.command.empty()) {
    test.left_out = "its program is not built";
  }
  return test;
}

// A test of ctest's may be anything: a script, an interpreter, a program that is not ours.
void look_at_program(const SuiteRequest& request, TestCase& test) {
  fs::path program = test.command[0];
  if (program.is_relative() && test.command[0].find('/') != std::string::npos) {
    program = (fs::path(test.directory) / program).lexically_normal();
  }
  test.command[0] = program.string();
  const Result<Target> target = examine_target(test.command[0]);
  if (!target) {
    const Exit code = target.error().code;
    test.left_out = code == Exit::missing         ? "its program is not built"
                    : code == Exit::not_a_program ? "it runs a script, or no program at all"
                                                  : target.error().message;
  } else if (!target->instrumented && !request.with_uninstrumented) {
    test.left_out = fmt::format("{} was not built with `jostle c++`", target->name);
  }
}

}  // namespace

Result<TestSuite> read_ctest_list(const std::string& output, const std::string& folder) {
  const json list = json::parse(output, nullptr, false);
  if (!list.is_object() || !list.contains("tests") || !list["tests"].is_array()) {
    return Error{Exit::not_a_program,
                 fmt::format("ctest does not list the tests of {} as JSON: it has to be 3.14 or "
                             "younger",
                             folder)};
  }
  TestSuite suite{"ctest", "", {}};
  for (const json& entry : list["tests"]) {
    if (entry.is_object()) suite.tests.push_back(read_test(entry));
  }
  return suite;
}

Result<TestSuite> find_ctest_tests(const SuiteRequest& request) {
  const std::string& given = request.program[0];
  std::error_code error;
  if (!fs::exists(fs::path(given) / "CTestTestfile.cmake", error)) {
    return Error{Exit::not_a_program,
                 fmt::format("{} is a directory without CTestTestfile.cmake: give a test program, "
                             "or a build folder of CMake's with tests",
                             given)};
  }
  std::vector<std::string> command = {"ctest", "--show-only=json-v1"};
  command.insert(command.end(), request.program.begin() + 1, request.program.end());
  const Result<ProgramOutput> answer = output_of(command, given, "", kLongestListing);
  if (!answer) return answer.error();
  if (answer->exit_code != 0) {
    const std::string why =
        answer->timed_out ? "it takes too long" : answer->err.substr(0, answer->err.find('\n'));
    return Error{Exit::usage,
                 fmt::format("ctest cannot list the tests of {}: {}", given, report::escape(why))};
  }
  Result<TestSuite> suite = read_ctest_list(answer->out, given);
  if (!suite) return suite;
  const fs::path folder = fs::absolute(given, error).lexically_normal();
  suite->name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  for (TestCase& test : suite->tests) {
    if (test.directory.empty()) test.directory = folder.string();
    if (test.left_out.empty()) look_at_program(request, test);
  }
  return suite;
}

}  // namespace jostle::cli
