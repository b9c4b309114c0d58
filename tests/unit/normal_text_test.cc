// SPDX-License-Identifier: Apache-2.0
#include "src/base/normal_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace jostle {
namespace {

std::string normal(std::string_view text) {
  std::string result(text.size(), '\0');
  result.resize(normalise(text.data(), text.size(), result.data()));
  return result;
}

TEST(NormalText, NumbersAreAllTheSame) {
  EXPECT_EQ(normal("got 3 of 20"), normal("got 17 of 5"));
  EXPECT_EQ(normal("at 0x7f12AB, size 8"), "at 0, size 0");
  EXPECT_EQ(normal("0xyz"), "0xyz") << "no number in base 16";
  EXPECT_NE(normal("got 3 of 20"), normal("lost 3 of 20"));
}

TEST(NormalText, FoldersOfPathsDoNotCount) {
  EXPECT_EQ(normal("/home/a/src/bank.cc:12: wrong"), normal("../src/bank.cc:99: wrong"));
  EXPECT_EQ(normal("in ./a/b.cc"), "in b.cc");
  EXPECT_EQ(normal("a / b"), "a / b");
  EXPECT_EQ(normal("(x/y.h)"), "(y.h)");
}

TEST(NormalText, WhiteSpaceIsOneSpace) {
  EXPECT_EQ(normal("  a \t\n b "), "a b");
  EXPECT_EQ(normal(""), "");
  EXPECT_EQ(normal(" \n"), "");
}

}  // namespace
}  // namespace jostle
