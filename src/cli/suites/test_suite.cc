// SPDX-License-Identifier: Apache-2.0
#include "src/cli/suites/test_suite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "src/cli/suites/test_framework.h"
#include "src/cli/target/program_output.h"
#include "src/cli/target/target.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

// A list takes no time. Who takes longer does something else.
constexpr std::chrono::seconds kLongestAnswer{30};

std::vector<Framework> frameworks_of(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!file.valid() || fstat(file.get(), &info) != 0 || info.st_size == 0) return {};
  const auto size = static_cast<size_t>(info.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (bytes == MAP_FAILED) return {};
  std::vector<Framework> found = frameworks_in({static_cast<const char*>(bytes), size});
  munmap(bytes, size);
  return found;
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

// doctest's tests may have one name: "twice", "twice (second suite)", "twice (test.cc)", "twice
// #4".
std::string unlike_others(const ListedTest& test, size_t number, std::set<std::string>& taken) {
  for (const std::string& more : {std::string(), test.suite, test.file}) {
    std::string name = more.empty() ? test.name : fmt::format("{} ({})", test.name, more);
    if (taken.insert(name).second) return name;
  }
  std::string name;
  do {
    name = fmt::format("{} #{}", test.name, ++number);
  } while (!taken.insert(name).second);
  return name;
}

// A program that can be asked for its tests.
class TestProgram {
 public:
  TestProgram(const SuiteRequest& request, const Target& target, const Installation& installation)
      : target_(target),
        arguments_(request.program.begin() + 1, request.program.end()),
        libraries_(installation.tsan_directory) {}

  // None: it does not answer as a program of this framework does.
  std::optional<std::vector<ListedTest>> list(Framework framework,
                                              const TestArguments& arguments) const {
    for (const TestArguments& question : questions(framework, arguments)) {
      std::vector<std::string> command = {target_.path};
      command.insert(command.end(), question.begin(), question.end());
      const Result<ProgramOutput> answer = output_of(command, "", libraries_, kLongestAnswer);
      if (!answer || answer->timed_out || answer->exit_code < 0) continue;
      auto tests = read_list(framework, answer->out);
      // Catch2's exit status may be the number of tests; with none it did not understand.
      const bool counts = framework == Framework::catch2 && tests && !tests->empty();
      if (tests && (answer->exit_code == 0 || counts)) return tests;
    }
    return std::nullopt;
  }

  TestSuite suite(Framework framework, const std::vector<ListedTest>& listed) const;

 private:
  TestCase make_case(Framework framework, const ListedTest& test) const;
  void choose(Framework framework, const ListedTest& test, size_t number, size_t of,
              TestCase& into) const;

  const Target& target_;
  TestArguments arguments_;
  std::string libraries_;
};

TestCase TestProgram::make_case(Framework framework, const ListedTest& test) const {
  TestCase result{test.name};
  result.suite = target_.name;
  result.label = test.name;
  switch (framework) {
    case Framework::googletest:
      result.suite = result.class_name = test.suite;
      result.label = test.name.substr(test.suite.size() + 1);
      if (is_disabled(test) && !wants_disabled(arguments_)) result.left_out = "disabled";
      break;
    case Framework::catch2:
      result.class_name = target_.name + ".global";
      break;
    case Framework::doctest:
      result.class_name = test.file;
      break;
  }
  return result;
}

// Is it this one test that the arguments choose? Names can be patterns for others.
void TestProgram::choose(Framework framework, const ListedTest& test, size_t number, size_t of,
                         TestCase& into) const {
  TestArguments words = arguments_for(framework, arguments_, test);
  if (!is_surely_one(framework, test) || of > 1) {
    std::optional<std::vector<ListedTest>> chosen = list(framework, words);
    if (chosen && chosen->size() > 1 && framework == Framework::doctest) {
      // doctest can also count; of those that the pattern chooses the one with the right looks.
      size_t seen = 0;
      for (size_t i = 0; i < chosen->size() && number != 0; ++i) {
        if ((*chosen)[i] != test || ++seen != number) continue;
        words = arguments_for(framework, arguments_, test, i + 1);
        chosen = list(framework, words);
        break;
      }
    }
    if (!chosen || chosen->size() != 1 || chosen->front() != test) {
      into.left_out = chosen && chosen->size() > 1 ? "its name chooses other tests, too"
                                                   : "it is not found by its name";
    }
  }
  into.command = {target_.given};
  into.command.insert(into.command.end(), words.begin(), words.end());
}

TestSuite TestProgram::suite(Framework framework, const std::vector<ListedTest>& listed) const {
  std::map<std::string, size_t> alike;  // names that differ in case only are one for Catch2
  for (const ListedTest& test : listed) ++alike[in_lower_case(test.name)];
  TestSuite result{std::string(name(framework)), target_.name, {}};
  std::vector<ListedTest> before;
  std::set<std::string> taken;
  for (const ListedTest& test : listed) {
    TestCase entry = make_case(framework, test);
    const size_t of = framework == Framework::googletest ? 1 : alike[in_lower_case(test.name)];
    const auto number = static_cast<size_t>(std::count(before.begin(), before.end(), test)) + 1;
    before.push_back(test);
    entry.name = unlike_others(test, number, taken);
    if (entry.left_out.empty()) choose(framework, test, number, of, entry);
    result.tests.push_back(std::move(entry));
  }
  return result;
}

MaybeError check_any_left(const TestSuite& suite, const std::string& given) {
  const auto is_tested = [](const TestCase& test) { return test.left_out.empty(); };
  if (std::any_of(suite.tests.begin(), suite.tests.end(), is_tested)) return std::nullopt;
  if (suite.tests.empty()) {
    return Error{Exit::usage, fmt::format("{} has no tests ({}), or the arguments choose none",
                                          given, suite.framework)};
  }
  return Error{Exit::usage,
               fmt::format("none of the {} of {} can be tested; {}: {}",
                           report::count(suite.tests.size(), "test"), given,
                           report::escape(suite.tests[0].name), suite.tests[0].left_out)};
}

Result<TestSuite> find_program_tests(const SuiteRequest& request,
                                     const Installation& installation) {
  const std::string& given = request.program[0];
  const Result<Target> target = examine_target(given);
  if (!target) return target.error();
  const std::vector<Framework> made_with = frameworks_of(target->path);
  if (made_with.empty()) {
    return Error{Exit::not_a_program,
                 fmt::format("{} is no test program that --each-test knows: neither GoogleTest, "
                             "Catch2 nor doctest is in it (jostle fuzz without --each-test runs "
                             "it as a whole)",
                             given)};
  }
  const TestProgram program(request, *target, installation);
  std::optional<TestSuite> without_tests;
  std::string names;
  for (const Framework framework : made_with) {
    names += fmt::format("{}{}", names.empty() ? "" : " and ", name(framework));
    const auto listed =
        program.list(framework, {request.program.begin() + 1, request.program.end()});
    if (!listed) continue;
    TestSuite suite = program.suite(framework, *listed);
    if (!suite.tests.empty()) return suite;
    without_tests = std::move(suite);
  }
  if (without_tests) return *without_tests;
  return Error{
      Exit::not_a_program,
      fmt::format("{} has {} in it, but does not list its tests: try {} {}", given, names, given,
                  questions(made_with[0], {})[0].back() == "--gtest_output="
                      ? "--gtest_list_tests"
                      : questions(made_with[0], {})[0].front())};
}

}  // namespace

Result<TestSuite> find_tests(const SuiteRequest& request, const Installation& installation) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(request.program[0], error);
  Result<TestSuite> suite =
      is_folder ? find_ctest_tests(request) : find_program_tests(request, installation);
  if (!suite) return suite;
  if (MaybeError none = check_any_left(*suite, request.program[0])) return *none;
  return suite;
}

}  // namespace jostle::cli
