// SPDX-License-Identifier: Apache-2.0
#include "src/cli/suites/each_test.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "src/base/hash.h"
#include "src/cli/campaign/fuzz_program.h"
#include "src/cli/recording/files.h"
#include "src/cli/suites/test_suite.h"
#include "src/cli/suites/test_table.h"
#include "src/cli/support/plain_signs.h"
#include "src/cli/support/terminal.h"
#include "src/cli/target/signals.h"
#include "src/cli/target/standard_input.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

// Who gives no time wants to see something of each test.
constexpr std::chrono::seconds kLeastPerTest{1};

// Variables of a test's, for as long as it runs.
class TestEnvironment {
 public:
  explicit TestEnvironment(const std::vector<std::pair<std::string, std::string>>& variables) {
    for (const auto& [name, value] : variables) {
      const char* before = std::getenv(name.c_str());
      before_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~TestEnvironment() {
    for (auto entry = before_.rbegin(); entry != before_.rend(); ++entry) {
      const auto& [name, value] = *entry;
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }
  TestEnvironment(const TestEnvironment&) = delete;
  TestEnvironment& operator=(const TestEnvironment&) = delete;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

// Names that look alike in the file system are told apart; so are those of a whole campaign's.
std::string folder_of(const std::string& test) {
  std::string name = file_name_for(test);
  if (name.front() == '-') name.insert(0, "test");  // no option of those who type it
  const bool is_taken = name == "corpus" || name == "unconfirmed";
  if (name == test && !is_taken) return name;
  return fmt::format("{}-{:06x}", name, fnv1a(test.data(), test.size()) >> 40);
}

class EachTest {
 public:
  EachTest(FuzzOptions options, TestSuite suite)
      : options_(std::move(options)),
        suite_(std::move(suite)),
        text_(options_.json || options_.document.on_stdout() ? stderr : stdout) {
    for (const TestCase& test : suite_.tests) tested_ += test.left_out.empty();
    own_words_ = {options_.words.begin(), options_.words.end() - ssize(options_.program)};
    std::erase(own_words_, "--each-test");
  }

  int run();

 private:
  static ptrdiff_t ssize(const std::vector<std::string>& words) {
    return static_cast<ptrdiff_t>(words.size());
  }
  std::string folder() const { return options_.output + "/" + suite_.name; }
  void announce() const;
  FuzzOptions options_for(const TestCase& test, const SharedTime& time) const;
  TestOutcome run_one(const TestCase& test, const SharedTime& time);
  Exit exit_code() const;
  MaybeError write_results();

  FuzzOptions options_;
  TestSuite suite_;
  FILE* text_;
  std::vector<std::string> own_words_;
  size_t tested_ = 0, number_ = 0;
  SignalWatch signals_;
  Clock::time_point started_ = Clock::now();
  std::vector<TestOutcome> outcomes_;
  size_t failures_ = 0;
};

void EachTest::announce() const {
  if (options_.quiet) return;
  const size_t left_out = suite_.tests.size() - tested_;
  const nanoseconds time(static_cast<int64_t>(options_.config.max_nanoseconds));
  note(fmt::format("{} · {} · {}{}{} · seed {}", report::escape(suite_.name), suite_.framework,
                   report::count(tested_, "test"),
                   left_out == 0 ? "" : fmt::format(", {} left out", left_out),
                   time.count() == 0 ? "" : fmt::format(" · {} for all", report::duration(time)),
                   options_.config.seed));
}

FuzzOptions EachTest::options_for(const TestCase& test, const SharedTime& time) const {
  FuzzOptions options = options_;
  options.output = folder();
  options.program = test.command;
  options.words = own_words_;
  options.words.insert(options.words.end(), test.command.begin(), test.command.end());
  options.directory = test.directory;
  for (const auto& [name, value] : test.environment) {
    options.variables +=
        fmt::format("{} {}={}", options.variables.empty() ? "env" : "", name, shell_quote(value));
  }
  if (!options.variables.empty()) options.variables += ' ';
  options.test = test.name;
  options.test_number = number_;
  options.test_count = tested_;
  options.shown_before = failures_;
  options.sync_only = true;  // it was said for all
  if (test.any_exit_is_ok) options.config.any_exit_code_ok = 1;
  if (test.skip_code != 0) {
    options.config.exit_codes_ok[test.skip_code / 64] |= uint64_t{1} << (test.skip_code % 64);
  }
  if (options_.config.max_nanoseconds != 0) {
    options.config.max_nanoseconds =
        static_cast<uint64_t>(std::max<int64_t>(1, time.next().count()));
    options.budget = time.budget();
  }
  return options;
}

TestOutcome EachTest::run_one(const TestCase& test, const SharedTime& time) {
  ++number_;
  const TestEnvironment environment(test.environment);
  TestOutcome outcome{test};
  outcome.folder = folder_of(test.name);
  TestReport report;
  outcome.exit = static_cast<Exit>(fuzz_program(options_for(test, time), outcome.folder, &report));
  outcome.campaign = std::move(report.campaign);
  outcome.failures = std::move(report.failures);
  outcome.problem = report::escape(report.problem);
  outcome.was_run = true;
  failures_ += outcome.campaign.failures.size();
  return outcome;
}

// A failure first, then what kept us from looking for one.
Exit EachTest::exit_code() const {
  Exit code = Exit::ok;
  for (const TestOutcome& outcome : outcomes_) {
    if (outcome.exit == Exit::output) return Exit::output;
    if (outcome.exit == Exit::found) code = Exit::found;
    if (code == Exit::ok) code = outcome.exit;
  }
  if (code != Exit::found && signals_.interrupts() != 0) return Exit::interrupted;
  return code;
}

MaybeError EachTest::write_results() {
  TestRun run{suite_,
              outcomes_,
              exit_code(),
              Clock::now() - started_,
              options_.program[0],
              {options_.program.begin() + 1, options_.program.end()}};
  const std::string stats = tests_text(run);
  if (options_.json) {
    fmt::print("{}", stats);
    std::fflush(stdout);
  }
  Result<AtomicFile> file = AtomicFile::open(folder() + "/tests.json");
  if (!file) return file.error();
  if (MaybeError error = file->commit(stats)) return error;
  if (!options_.document.wanted()) return std::nullopt;
  DocumentOptions document = options_.document;
  if (!document.file.empty()) {
    document.file = fmt::format("{}/{}", folder(), document_name(document.format));
  }
  const report::RunResult result = run_result_of(run);
  const std::string text = document_text(document.format, result, tests_json(run));
  if (MaybeError error = write_document(document, text)) return error;
  if (!document.on_stdout() && !options_.quiet) fmt::print(text_, "{}\n", document.file);
  return std::nullopt;
}

int EachTest::run() {
  announce();
  SharedTime time(nanoseconds(static_cast<int64_t>(options_.config.max_nanoseconds)),
                  options_.budget, tested_);
  bool goes_on = true;
  for (const TestCase& test : suite_.tests) {
    if (!test.left_out.empty() || !goes_on) {
      outcomes_.push_back({test});
      continue;
    }
    const Clock::time_point before = Clock::now();
    outcomes_.push_back(run_one(test, time));
    time.used(Clock::now() - before);
    goes_on = signals_.interrupts() == 0 && outcomes_.back().exit != Exit::output;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  if (!options_.quiet) {
    fmt::print(text_, "{}", test_table(outcomes_, seconds, terminal_columns(descriptor_of(text_))));
    std::fflush(text_);
  }
  if (MaybeError error = write_results()) return fail(*error);
  return static_cast<int>(exit_code());
}

}  // namespace

Budget SharedTime::budget() const {
  const int64_t tests = std::max<int64_t>(1, static_cast<int64_t>(tests_));
  return Budget(next()).within(all_.left() / tests);
}

void SharedTime::used(nanoseconds time) {
  left_ -= std::min(next(), time);
  if (tests_ != 0) --tests_;
}

int fuzz_each_test(FuzzOptions options) {
  Result<Installation> installation = find_installation();
  if (!installation) return fail(installation.error());
  Result<TestSuite> suite = find_tests({options.program, options.sync_only}, *installation);
  if (!suite) return fail(suite.error());
  if (suite->framework != "ctest" && !options.sync_only) {
    const Result<Target> target = examine_target(options.program[0]);
    if (target && !target->instrumented) note(not_instrumented_note(*target));
  }
  // A pipe can be read once: all tests get what was in it.
  Result<StandardInput> input = prepare_input();
  if (!input) return fail(input.error());
  if (input->is_file) dup2(input->file.get(), STDIN_FILENO);
  // Listing the tests is not searching.
  channel::Config& config = options.config;
  if (config.max_nanoseconds != 0) {
    nanoseconds time(static_cast<int64_t>(config.max_nanoseconds));
    if (!options.time_given)
      time = std::max<nanoseconds>(time, kLeastPerTest * suite->tests.size());
    config.max_nanoseconds = static_cast<uint64_t>(time.count());
    options.budget = Budget(time);
  }
  if (Result<OutputFolder> folder = OutputFolder::open(options.output, suite->name); !folder) {
    return fail(folder.error());
  }
  return EachTest(std::move(options), std::move(*suite)).run();
}

}  // namespace jostle::cli
