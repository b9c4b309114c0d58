// SPDX-License-Identifier: Apache-2.0
// The runtime with its invariants checked (src/base/check.h): conformance programs and bugs of
// every kind, under both executors and all strategies. A violated check is a bug of ours and ends
// the command with 70, whatever the program does.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;

// Of a Debug build every library is checked.
std::string checked_library() {
  const fs::path lib = fs::path(JOSTLE_BUILD_DIR) / "lib";
  return fs::exists(lib / "checked") ? lib / "checked" : lib;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs" / folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".c" || extension == ".cc") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result fuzz_checked(const std::string& name, const std::string& strategy, const char* executor,
                    const char* schedules, const char* argument = nullptr) {
  const TempDir out;
  std::vector<std::string> arguments = {"fuzz",
                                        "--keep-going",
                                        "--minimize",
                                        "off",
                                        "--sync-only",
                                        "--seed",
                                        "3",
                                        "--strategy",
                                        strategy,
                                        "--executor",
                                        executor,
                                        "--schedules",
                                        schedules,
                                        "--timeout",
                                        "60s",
                                        "-o",
                                        out.file("out"),
                                        "--",
                                        program("gcc", name)};
  if (argument) arguments.push_back(argument);
  return jostle(arguments, {.env = {{"JOSTLE_LIB", checked_library()}}, .time_limit = 200});
}

void expect_no_violation(const Result& result, const std::string& what) {
  EXPECT_EQ((result.out + result.err).find("a bug in jostle"), std::string::npos) << what << result;
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 77) << what << "\n" << result;
}

// Programs of one kind share what they test: in every round each has another executor.
class Invariants : public testing::TestWithParam<int> {};
constexpr int kParts = 4;

TEST_P(Invariants, HoldInConformancePrograms) {
  const std::vector<std::string> names = names_in("conform");
  for (size_t i = static_cast<size_t>(GetParam()); i < names.size(); i += kParts) {
    const std::string name = "conform/" + names[i];
    if (names[i].starts_with("scale_") && long_or_short(0, 1) == 1) continue;
    const char* executor = (i / kParts) % 2 == 0 ? "auto" : "fork";
    expect_no_violation(fuzz_checked(name, i % 3 == 0 ? "random" : "pos", executor,
                                     long_or_short(0, 1) == 1 ? "5" : "40"),
                        name);
  }
}

// Every strategy meets several bugs, and every bug several hundred schedules.
TEST_P(Invariants, HoldInBugs) {
  const std::vector<std::string> strategies = {
      "portfolio", "rff", "pos",         "systematic-first", "pct",    "surw",
      "urw",       "ql",  "delay-bound", "random",           "events", "preemption-bound"};
  const std::vector<std::string> bugs = {
      "abba_pthread",     "aba_stack",          "lost_wakeup",       "rwlock_upgrade",
      "use_after_free",   "barrier_miscount",   "sem_deadlock",      "pipe_deadlock",
      "early_timeout",    "double_checked",     "refcount",          "spin_no_yield",
      "pool_starvation",  "once_recursion",     "polite_livelock",   "detached_global",
      "cond_two_mutexes", "uncaught_exception", "exit_holding_lock", "double_free"};
  for (size_t i = static_cast<size_t>(GetParam()); i < bugs.size(); i += kParts) {
    const std::string name = "bugs/" + bugs[i];
    const char* executor = (i / kParts) % 2 == 0 ? "fork" : "auto";
    const std::string strategy = strategies[i % strategies.size()];
    expect_no_violation(
        fuzz_checked(name, strategy, executor, long_or_short(0, 1) == 1 ? "100" : "1000"),
        name + " " + strategy + " " + executor);
  }
}

// Threads that wait in loops of their own, which exhaustive search leaves out, and their signals.
TEST_P(Invariants, HoldWhereLoopsAreLeftOut) {
  const std::vector<std::string> names = {"signals/children",      "signals/interrupted",
                                          "bugs/spin_no_yield_ok", "bugs/spin_forever",
                                          "bugs/broken_lock",      "bugs/yield_livelock_ok"};
  for (size_t i = static_cast<size_t>(GetParam()); i < names.size(); i += kParts) {
    for (const char* strategy : {"dpor", "portfolio"}) {
      expect_no_violation(
          fuzz_checked(names[i], strategy, "auto", long_or_short(0, 1) == 1 ? "20" : "200", "0"),
          names[i] + " " + strategy);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Checked, Invariants, testing::Range(0, kParts));

// A violation is not taken for a failure of the program, and nothing of it is written down.
TEST(Invariants, AViolatedOneIsOurBug) {
  for (const char* executor : {"snapshot", "fork"}) {
    const TempDir out;
    const Result result =
        jostle({"fuzz", "--executor", executor, "--schedules", "5", "-o", out.file("out"), "--",
                program("gcc", "bugs/lost_update")},
               {.env = {{"JOSTLE_LIB", checked_library()}, {"JOSTLE_VIOLATED_STEP", "3"}}});
    EXPECT_EQ(result.exit_code, 70) << executor << result;
    EXPECT_NE(result.err.find("jostle: a bug in jostle, not in the program: src/"),
              std::string::npos)
        << executor << result;
  }
}

}  // namespace
}  // namespace jostle::test
