// SPDX-License-Identifier: Apache-2.0
// `jostle verify --memory=c11`: every execution that the model of weak memory has, and never a
// verdict about more than was explored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Result verify(const std::string& path, const std::vector<std::string>& arguments,
              const std::vector<std::string>& options = {}) {
  const TempDir out;
  std::vector<std::string> words = {"verify", "--memory=c11", "--minimize",
                                    "off",    "-o",           out.file("out")};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", path});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return jostle(words, {.time_limit = 300});
}

json stats_of(const std::string& path, const std::vector<std::string>& arguments,
              std::vector<std::string> options = {}) {
  options.insert(options.end(), {"--json", "--quiet", "-k"});
  const Result result = verify(path, arguments, options);
  json stats = json::parse(result.out, nullptr, false);
  if (!stats.is_object()) ADD_FAILURE() << result;
  return stats;
}

// ---- how many there are -----------------------------------------------------------------------

// The numbers of tests/unit/litmus_table.h.
TEST(WeakVerify, LitmusTestsHaveTheirExecutions) {
  const std::vector<std::pair<std::string, int>> tests = {
      {"SB", 4},           {"SB+sc", 3},      {"SB+fences", 3},   {"SB+one_fence", 4},
      {"SB+exchanges", 4}, {"SB+3sc+acq", 4}, {"MP", 4},          {"MP+rel+acq", 3},
      {"MP+rel+rlx", 4},   {"MP+fences", 3},  {"CoRR", 6},        {"IRIW", 16},
      {"IRIW+sc", 15},     {"WRC", 8},        {"WRC+rel+acq", 7}, {"ISA2", 7},
      {"2+2W", 4},         {"2+2W+sc", 3},    {"S", 4},           {"LB", 3}};
  for (const char* executor : {"snapshot", "fork"}) {
    for (const auto& [test, executions] : tests) {
      const json stats =
          stats_of(program("gcc", "weak/litmus"), {test, "none"}, {"--executor", executor});
      EXPECT_EQ(stats["verdict"], "verified") << test << stats;
      EXPECT_EQ(stats["executions"], executions) << test;
      EXPECT_EQ(stats["memory"], "c11");
      EXPECT_GE(stats["runs"], executions);
      EXPECT_LE(stats["runs"], 2 * executions) << test;
      EXPECT_EQ(stats["redundant"], 0);
    }
  }
}

// Random programs, and how many executions the model alone has (tests/unit/weak_search_test.cc).
TEST(WeakVerify, RandomProgramsHaveTheExecutionsOfTheModel) {
  const std::vector<std::pair<int, std::vector<std::string>>> programs = {
      {16, {"s1r1l2s1", "e0b2e2b1", "c2x1l1x2s0s1"}},
      {9, {"a0b1a1a2", "l1x1l0x2l0a1l1a1"}},
      {27, {"a0s2a1r2", "s1s2f0a1l0x1", "e1a2s0s2"}},
      {6, {"s2r2s1x1c0x2", "a0b2a2b2s2x2f0s2"}},
      {16, {"l0x1c2a2", "c2x2", "l1s1l0s1", "c0r1l2x1"}},
      {12, {"f0r1s1s2", "s0s2f0b1l1x1", "e2a2s1x2s1s2"}},
      {30, {"e1a1", "s0x1l1a2", "a0s1", "s0s1c1b2"}},
      {26, {"s1r1", "c1r2a1s2", "s1s2l1x2"}},
      {9, {"a2a2s2s1e1r1a0r1", "l2a2l0s1c0x2f0s1"}},
      {10, {"f0s1", "a0x1e0s2s0s1", "l1x2a0x2s0s2"}},
  };
  for (const auto& [executions, threads] : programs) {
    const json stats = stats_of(program("gcc", "weak/orders_program"), threads);
    EXPECT_EQ(stats["verdict"], "verified") << threads[0];
    EXPECT_EQ(stats["executions"], executions) << testing::PrintToString(threads);
  }
}

// ---- bugs and their twins ---------------------------------------------------------------------

TEST(WeakVerify, BugsFailAndTheirTwinsAreVerified) {
  for (const char* name : {"chase_lev", "dekker", "double_checked_flag", "hazard_pointer",
                           "mcs_weak", "mpmc_queue", "ms_queue", "peterson_weak", "rcu_publish",
                           "rw_lock", "seqlock", "spin_barrier", "spsc_ring"}) {
    const std::string bug = program("gcc", std::string("weak/") + name);
    const Result failed = verify(bug, {});
    EXPECT_EQ(failed.exit_code, 77) << name << failed;
    const Result passed = verify(bug + "_ok", {});
    EXPECT_EQ(passed.exit_code, 0) << name << passed;
    EXPECT_THAT(passed.out, HasSubstr("VERIFIED")) << passed;
    EXPECT_THAT(passed.out, HasSubstr("C++'s memory model")) << passed;
  }
}

// What it finds is replayed: a fence is a step, and choices are numbered as everywhere.
TEST(WeakVerify, FindingsAreReplayed) {
  for (const char* name : {"dekker", "chase_lev", "spsc_ring"}) {
    const TempDir out;
    const Result failed = jostle({"verify", "--memory=c11", "-o", out.file("out"), "--",
                                  program("gcc", std::string("weak/") + name)});
    ASSERT_EQ(failed.exit_code, 77) << failed;
    const size_t at = failed.out.find("jostle replay ");
    ASSERT_NE(at, std::string::npos) << failed;
    const std::string file = failed.out.substr(at + 14, failed.out.find('\n', at) - at - 14);
    const Result again = jostle({"replay", file});
    EXPECT_EQ(again.exit_code, 77) << again;
    EXPECT_THAT(again.err, testing::Not(HasSubstr("diverge"))) << again;
  }
}

// What has no weaker operations has the executions that it has without; who waits in the kernel
// does not go on reading what was there before.
TEST(WeakVerify, LibrariesAndLoopsThatWaitComeToAnEnd) {
  const std::vector<std::tuple<std::string, std::string, std::string, int>> programs = {
      {"mutex_counts", "lockinc", "3", 6},
      {"condition_counts", "signal_each", "2", 60},
      {"loop_counts", "ticket", "4", 24},
      {"loop_counts", "casspin", "3", 6},
      {"future_counts", "future", "0", 4},
      {"once_counts", "call_once", "3", 3},
      {"atomic_wait_counts", "atomic_wait", "0", 36}};
  for (const auto& [file, name, number, executions] : programs) {
    const json stats = stats_of(program("gcc", "verify/" + file), {name, number});
    EXPECT_EQ(stats["verdict"], "verified") << name << stats;
    EXPECT_EQ(stats["executions"], executions) << name;
  }
  EXPECT_EQ(stats_of(program("gcc", "verify/barrier_counts"), {"latch", "0"})["verdict"],
            "verified");
}

// ---- what is not explored is said -------------------------------------------------------------

TEST(WeakVerify, IsIncompleteWhenStoresWereForgotten) {
  std::string stores;
  for (int i = 0; i < 30; ++i) stores += "s0x1";
  const Result result = verify(program("gcc", "weak/orders_program"), {stores, "l0x0"});
  EXPECT_EQ(result.exit_code, 20) << result;
  EXPECT_THAT(result.out, HasSubstr("more stores that could still be read")) << result;
}

TEST(WeakVerify, IsCompleteWhenNobodyCouldReadThem) {
  std::string stores;
  for (int i = 0; i < 30; ++i) stores += "s0x1";
  const Result result = verify(program("gcc", "weak/orders_program"), {stores, "l1x0"});
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST(WeakVerify, IsNotCombinedWithWhatItDoesNotKnow) {
  const std::string path = program("gcc", "weak/dekker_ok");
  for (const std::vector<std::string>& other :
       std::vector<std::vector<std::string>>{{"--preemptions", "2"}, {"-j", "2"}, {"--resume"}}) {
    const Result refused = verify(path, {}, other);
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_THAT(refused.err, HasSubstr(other[0] + " explores sequentially consistent memory only"))
        << refused;
  }
  // A search in several processes, or within a bound, is not one of this memory.
  const TempDir out;
  const Result bounded = jostle({"fuzz", "--memory=c11", "--strategy", "dpor-bound", "-n", "2000",
                                 "-o", out.file("out"), "--", path});
  EXPECT_THAT(bounded.out, testing::Not(HasSubstr("VERIFIED"))) << bounded;
  EXPECT_THAT(bounded.out, testing::Not(HasSubstr("BOUNDED"))) << bounded;
}

// A function-local static's guard is written by the C++ library, and tested by an atomic load.
TEST(WeakVerify, LocalStaticsAreExplored) {
  const TempDir folder;
  const std::string source = folder.write("statics.cc", R"(
#include <assert.h>
#include <thread>
struct Value {
  int x;
  Value() : x(7) {}
};
Value& get() {
  static Value value;
  return value;
}
int main() {
  std::thread other([] { assert(get().x == 7); });
  assert(get().x == 7);
  other.join();
}
)");
  const std::string binary = folder.file("statics");
  ASSERT_TRUE(jostle({"c++", "-g", "-O1", "-std=c++20", source, "-o", binary}).ok());
  const json stats = stats_of(binary, {}, {"--fail-on", "race"});
  EXPECT_EQ(stats["verdict"], "verified") << stats;
}

}  // namespace
}  // namespace jostle::test
