// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/values.h"

#include <gtest/gtest.h>

namespace jostle::cli {
namespace {

using namespace std::chrono_literals;

TEST(Durations, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("30"), 30s);
  EXPECT_EQ(parse_duration("0"), 0s);
}

TEST(Durations, NonsenseIsRefused) {
  for (const char* text : {"", "s", "5x", "-1s", "1e9h", "nan", "inf", "99999999999h", "5 m m"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Numbers, MayHaveSeparatorsOrBeHexadecimal) {
  EXPECT_EQ(parse_number("1,000,000"), 1'000'000u);
  EXPECT_EQ(parse_number("1_000"), 1000u);
  EXPECT_EQ(parse_number("0xff"), 255u);
  EXPECT_EQ(parse_number("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", "-1", "18446744073709551616", "12a", "0x", " 1", ",1"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(ExitCodes, AreListsAndRanges) {
  EXPECT_EQ(parse_exit_codes("0,3,10-12"), (std::vector<int>{0, 3, 10, 11, 12}));
  for (const char* text : {"", "256", "3-1", "a", "1,", "-1"}) {
    EXPECT_FALSE(parse_exit_codes(text)) << text;
  }
}

TEST(Nearest, FindsTheNearMissAndNothingElse) {
  const std::vector<std::string> options = {"--schedules", "--seed", "--strategy", "--time"};
  EXPECT_EQ(nearest("--schedule", options), "--schedules");
  EXPECT_EQ(nearest("--sede", options), "--seed");
  EXPECT_EQ(nearest("--strat", options), "--strategy");
  EXPECT_EQ(nearest("--verbose", options), "");
  EXPECT_EQ(nearest("-x", options), "");
}

TEST(ShellQuote, LeavesPlainWordsAlone) {
  EXPECT_EQ(shell_quote("jostle-out/a.b/replay.json"), "jostle-out/a.b/replay.json");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

}  // namespace
}  // namespace jostle::cli
