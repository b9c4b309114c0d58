// SPDX-License-Identifier: Apache-2.0
// `jostle fuzz --input`: inputs and schedules of whole programs, searched together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class Inputs : public testing::TestWithParam<const char*> {
 protected:
  Inputs() { dir_.write("corpus/one", "BUY 5\nBUY 12\n"); }

  Result fuzz(std::vector<std::string> more) {
    std::vector<std::string> words = {"fuzz",   "--executor", GetParam(), "--input",
                                      "corpus", "--time",     "60s",      "--seed",
                                      "1",      "-o",         "out"};
    words.insert(words.end(), more.begin(), more.end());
    return jostle(words, {.cwd = dir_.path(), .time_limit = 120});
  }

  fs::path finding() {
    for (const auto& entry : fs::directory_iterator(dir_.path() / "out" / "orders")) {
      if (is_finding(entry) && entry.path().filename() != "corpus") return entry.path();
    }
    return {};
  }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(All, Inputs, testing::Values("snapshot", "fork"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Inputs, AreFoundWithTheScheduleThatFails) {
  const std::string program = test::program("gcc", "inputs/orders");
  const Result found = fuzz({"--", program, "@@"});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("assertion `g_stock == 2 * sum'"));
  const std::string input = read_file(finding() / "input");
  EXPECT_THAT(input, StartsWith("SELL 77")) << input;
  EXPECT_LE(input.size(), 20u) << input;  // made small
  const Result again = jostle({"replay", finding()}, {.cwd = dir_.path()});
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_GT(std::distance(fs::directory_iterator(dir_.path() / "corpus"), {}), 2);
  EXPECT_THAT(found.err, HasSubstr("inputs: 1 given, "));
}

TEST_P(Inputs, AreReadFromStandardInput) {
  const Result found = fuzz({"--", test::program("gcc", "inputs/orders")});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_EQ(jostle({"replay", finding()}, {.cwd = dir_.path()}).exit_code, 77);
}

// Later, by the command: input and schedule in turn.
TEST_P(Inputs, AreMadeSmallWithTheirSchedule) {
  if (GetParam() == std::string("fork")) GTEST_SKIP() << "who runs it makes no difference here";
  const Result found = fuzz({"--minimize", "off", "--", test::program("gcc", "inputs/orders")});
  ASSERT_EQ(found.exit_code, 77) << found;
  const std::string before = read_file(finding() / "input");
  const Result small = jostle({"minimize", finding(), "--time", "10s"}, {.cwd = dir_.path()});
  EXPECT_EQ(small.exit_code, 77) << small;
  const std::string after = read_file(finding() / "input");
  EXPECT_LE(after.size(), before.size());
  EXPECT_THAT(after, StartsWith("SELL 77"));
  EXPECT_LE(after.size(), 20u) << after;
  EXPECT_THAT(small.err, HasSubstr("preemption"));
  EXPECT_EQ(jostle({"replay", finding()}, {.cwd = dir_.path()}).exit_code, 77);
}

TEST_P(Inputs, AreSharedByWorkers) {
  if (GetParam() == std::string("fork")) GTEST_SKIP() << "who runs it makes no difference here";
  // Two workers find it at another time in every campaign: let it be near.
  dir_.write("corpus/near", "SELL 7\nBUY 3\n");
  const Result found = fuzz({"-j", "2", "--", test::program("gcc", "inputs/orders"), "@@"});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(read_file(finding() / "input"), StartsWith("SELL 77"));
  EXPECT_EQ(jostle({"replay", finding()}, {.cwd = dir_.path()}).exit_code, 77);
}

// The operations that matter, and no others, whatever was found first.
TEST(InputOfAProperty, IsAsSmallAsASchedulePermits) {
  for (int seed = 1; seed <= 6; ++seed) {
    const TempDir dir;
    const Result found =
        run({program("gcc", "checks/smallest_operations")},
            {.env = {{"JOSTLE_OPTIONS", "--seed " + std::to_string(seed)}}, .cwd = dir.path()});
    EXPECT_THAT(found.err, HasSubstr("with   ops = {1}\n")) << found;
  }
}

TEST(InputOptions, BadCorpus) {
  const Result result = jostle({"fuzz", "--input", "/dev/null/x", "/bin/true"});
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_THAT(result.err, HasSubstr("--input: no folder /dev/null/x"));
}

}  // namespace
}  // namespace jostle::test
