// SPDX-License-Identifier: Apache-2.0
// Without --memory: a program that has orders weaker than seq_cst has weak memory, others do not,
// and everything that is made of a failing run has the memory that it had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

Result fuzz(const std::string& path, const TempDir& out, std::vector<std::string> options) {
  std::vector<std::string> words = {"fuzz", "--fresh", "-o", out.file("out"), "--seed", "1"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", path});
  return jostle(words, {.time_limit = 120});
}

std::string replay_of(const std::string& path, const TempDir& out) {
  return recording_in(out.file("out/" + fs::path(path).filename().string()));
}

class WeakByDefault : public testing::TestWithParam<const char*> {};

TEST_P(WeakByDefault, FindsWhatNeedsIt) {
  const std::string path = program("gcc", std::string("weak/") + GetParam());
  for (const char* executor : {"snapshot", "fork"}) {
    const TempDir out;
    const Result found = fuzz(path, out, {"-n", "2000", "--executor", executor});
    EXPECT_EQ(found.exit_code, 77) << found;
    EXPECT_THAT(found.out, HasSubstr("Needs weak memory: ")) << found;
    EXPECT_THAT(found.err, Not(HasSubstr("does not do the same twice"))) << found;
    const std::string file = replay_of(path, out);
    EXPECT_THAT(read_file(file), HasSubstr("\"memory\": \"c11\""));
    const Result again = jostle({"replay", file});
    EXPECT_EQ(again.exit_code, 77) << again;
    EXPECT_EQ(jostle({"minimize", file}).exit_code, 77);
  }
  const TempDir out;
  const Result strong = fuzz(path, out, {"--memory=sc", "-n", "2000"});
  EXPECT_EQ(strong.exit_code, 0) << strong;
}

INSTANTIATE_TEST_SUITE_P(Some, WeakByDefault,
                         testing::Values("chase_lev", "dekker", "mcs_weak", "seqlock", "spsc_ring"),
                         [](const auto& info) { return std::string(info.param); });

// Its twin is explored with weak memory, and the verdict says so.
TEST(WeakMemoryByDefault, IsSaidInTheVerdict) {
  const TempDir out;
  const Result twin = fuzz(program("gcc", "weak/spsc_ring_ok"), out, {"-n", "5000"});
  EXPECT_EQ(twin.exit_code, 0) << twin;
  EXPECT_THAT(twin.out, HasSubstr("VERIFIED")) << twin;
  EXPECT_THAT(twin.out, HasSubstr("C++'s memory model")) << twin;
}

TEST(WeakMemoryByDefault, IsNotForProgramsWithoutWeakerOrders) {
  const TempDir out;
  const Result strong = fuzz(program("gcc", "orders/seqlock_orders"), out, {"-n", "5000"});
  EXPECT_EQ(strong.exit_code, 0) << strong;
  EXPECT_THAT(strong.out, HasSubstr("sequentially consistent memory,")) << strong;
}

TEST(WeakMemoryByDefault, LeftOutIsSaid) {
  const TempDir out;
  const Result twin = fuzz(program("gcc", "weak/spsc_ring_ok"), out, {"-n", "5000", "--memory=sc"});
  EXPECT_EQ(twin.exit_code, 0) << twin;
  EXPECT_THAT(twin.out, HasSubstr("sequentially consistent memory although")) << twin;
}

TEST(WeakMemoryByDefault, NeedsNoCheckForRaces) {
  const TempDir out;
  const Result found =
      fuzz(program("gcc", "weak/spsc_ring"), out, {"-n", "2000", "--check", "none"});
  EXPECT_EQ(found.exit_code, 77) << found;
}

// A strategy that was asked for by name does what it is known for.
TEST(WeakMemoryByDefault, IsThePortfolios) {
  for (const char* strategy : {"pos", "systematic-first"}) {
    const TempDir out;
    const Result found =
        fuzz(program("gcc", "weak/dekker"), out, {"-n", "1000", "--strategy", strategy});
    EXPECT_EQ(found.exit_code, 0) << found;
  }
}

// Of several processes each finds out by itself.
TEST(WeakMemoryByDefault, IsFoundOutByEveryWorker) {
  const TempDir out;
  const std::string path = program("gcc", "weak/chase_lev");
  const Result found = fuzz(path, out, {"-n", "4000", "-j", "2"});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_EQ(jostle({"replay", replay_of(path, out)}).exit_code, 77);
}

// A bug of sequentially consistent memory in a program with weaker orders is told as such.
TEST(WeakMemoryByDefault, IsNotMentionedWhereItIsNotNeeded) {
  const TempDir out;
  const std::string path = program("gcc", "weak/lost_count");
  const Result found = fuzz(path, out, {"-n", "2000"});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, Not(HasSubstr("weak memory"))) << found;
  EXPECT_EQ(jostle({"replay", replay_of(path, out)}).exit_code, 77);
}

}  // namespace
}  // namespace jostle::test
