// SPDX-License-Identifier: Apache-2.0
// What tells two failures with the same exit status apart.
#include "src/cli/findings/last_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jostle::cli {
namespace {

TEST(LastWords, TheLastLinesOfStandardErrorWithoutNumbers) {
  const LastWords one = last_words("", "starts\nthread 1\ngot 17 of 20\n\n");
  EXPECT_EQ(one.text, "thread 1 / got 17 of 20");
  EXPECT_EQ(one.identity, last_words("other", "thread 2\ngot 3 of 20\n").identity);
  EXPECT_NE(one.identity, last_words("", "thread 1\nlost 3 of 20\n").identity);
  EXPECT_TRUE(last_words("only output\n", " \n").identity.empty());
}

TEST(LastWords, TheFirstTestThatFailed) {
  constexpr char kOutput[] =
      "[ RUN      ] Bank.Transfer\nbank.cc:7: Failure\n[  FAILED  ] Bank.Transfer (3 ms)\n"
      "[  FAILED  ] Bank.Close (0 ms)\n[  FAILED  ] 2 tests, listed below:\n"
      "[  FAILED  ] Bank.Transfer\n";
  EXPECT_EQ(last_words(kOutput, "noise\n").identity, "test Bank.Transfer");
  EXPECT_EQ(last_words(kOutput, "noise\n").text, "test Bank.Transfer failed");
  EXPECT_EQ(last_words("[  FAILED  ] 1 test, listed below:\n", "").identity, "");
}

TEST(LastWords, OfASingleTestTheFirstCheckThatFailed) {
  const LastWords google = last_words(
      "[ RUN      ] A.B\n/x/a.cc:7: Failure\nExpected equality of these values:\n  n\n"
      "    Which is: 1\n  2\nlost\n\n/x/a.cc:9: Failure\n[  FAILED  ] A.B (3 ms)\n",
      "", true);
  EXPECT_EQ(google.check, "a.cc:7: Expected equality of these values: n (which is 1), 2, lost");
  // The value is another one, and so is the line: the check is the same.
  EXPECT_EQ(google.identity, last_words("/y/a.cc:8: Failure\nExpected equality of these values:\n"
                                        "  n\n    Which is: one\n  2\nlost\n",
                                        "", true)
                                 .identity);
  const LastWords catch2 = last_words(
      "...\na.cc:7: FAILED:\n  REQUIRE( n == 2 )\nwith expansion:\n  x == 2\n\n===\n", "", true);
  EXPECT_EQ(catch2.check, "a.cc:7: REQUIRE( n == 2 ), with expansion: x == 2");
  EXPECT_EQ(
      catch2.identity,
      last_words("a.cc:7: FAILED:\n  REQUIRE( n == 2 )\nwith expansion:\n  y == 2\n", "", true)
          .identity);
  EXPECT_EQ(
      last_words("a.cc:7: ERROR: CHECK( n == 2 ) is NOT correct!\n  values: CHECK( 1 == 2 )\n", "",
                 true)
          .check,
      "a.cc:7: CHECK( n == 2 ) is NOT correct!, values: CHECK( 1 == 2 )");
  EXPECT_EQ(last_words("x: Failure\nno place: ERROR: \n", "stderr\n", true).text, "stderr");
}

channel::Failure ended(channel::Outcome outcome, int code = 0) {
  channel::Failure end{};
  end.outcome = outcome;
  end.code = code;
  return end;
}

TEST(OutputTail, TheLastLinesOfAFailureThatDoesNotExplainItself) {
  using channel::Outcome;
  using testing::ElementsAre;
  using testing::IsEmpty;
  std::string output;
  for (int i = 0; i < 20; ++i) output += "line " + std::to_string(i) + "\n\n";
  const auto tail = output_tail(output, ended(Outcome::exited, 1));
  ASSERT_EQ(tail.size(), 8u);
  EXPECT_EQ(tail.front(), "line 12");
  EXPECT_EQ(tail.back(), "line 19");
  EXPECT_THAT(output_tail("\ta\r\n\x1b[2J", ended(Outcome::aborted)),
              ElementsAre(" a", "\\x1b[2J"));
  EXPECT_THAT(output_tail("lost\nterminate called after throwing an instance of 'int'\n",
                          ended(Outcome::exception)),
              ElementsAre("lost"));
  EXPECT_THAT(output_tail(output, ended(Outcome::exited, 0)), IsEmpty());
  EXPECT_THAT(output_tail(output, ended(Outcome::deadlock)), IsEmpty());
}

TEST(OutputTail, OfATestThatFailedItsOwnLines) {
  constexpr char kOutput[] =
      "[ RUN      ] Bank.Open\nfine\n[       OK ] Bank.Open (0 ms)\n"
      "[ RUN      ] Bank.Transfer\nbank.cc:7: Failure\nExpected: 3\n"
      "[  FAILED  ] Bank.Transfer (3 ms)\n[ RUN      ] Bank.Close\n[       OK ] Bank.Close\n"
      "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Bank.Transfer\n";
  EXPECT_THAT(output_tail(kOutput, ended(channel::Outcome::exited, 1)),
              testing::ElementsAre("bank.cc:7: Failure", "Expected: 3"));
}

}  // namespace
}  // namespace jostle::cli
