// What tells two failures with the same exit status apart.
#include "src/cli/last_words.h"

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

}  // namespace
}  // namespace jostle::cli
