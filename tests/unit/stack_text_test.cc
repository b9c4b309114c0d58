// SPDX-License-Identifier: Apache-2.0
// Stacks as a reader sees them, however deep.
#include "src/report/text/stack_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Frame frame(const std::string& function, int line, bool plumbing = false) {
  return {"prog+0x1", function, "/home/me/project/src/bank.cc", line, plumbing};
}

TEST(StackText, ARecursionIsOneRound) {
  std::vector<Frame> frames = {frame("check()", 3)};
  for (int i = 0; i < 30; ++i) frames.push_back(frame("descend(int)", 7));
  frames.push_back(frame("main", 20));
  const std::string text = stack_lines(frames, true);
  EXPECT_EQ(line_count(text), 4u) << text;
  EXPECT_THAT(text, HasSubstr("the same 29 times more"));
  EXPECT_THAT(text, HasSubstr("#31 main"));
  EXPECT_EQ(line_count(stack_lines(frames, false)), 32u);
}

TEST(StackText, SoIsOneOfSeveralFunctions) {
  std::vector<Frame> frames;
  for (int i = 0; i < 10; ++i) {
    frames.push_back(frame("even(int)", 7));
    frames.push_back(frame("odd(int)", 9));
  }
  // Who called the last one is not known: it may be the same again.
  const std::string text = stack_lines(frames, true);
  EXPECT_EQ(line_count(text), 3u) << text;
  EXPECT_THAT(text, HasSubstr("these over and over"));
}

TEST(StackText, OfADeepOneBothEndsAreShown) {
  std::vector<Frame> frames;
  for (int i = 0; i < 40; ++i) frames.push_back(frame("f" + std::to_string(i) + "()", i + 1));
  const std::string text = stack_lines(frames, true);
  EXPECT_EQ(line_count(text), kFewFrames) << text;
  EXPECT_THAT(text, HasSubstr("#0  f0()"));
  EXPECT_THAT(text, HasSubstr("#39 f39()"));
  EXPECT_THAT(text, HasSubstr("… "));
}

TEST(StackText, FitsAndNamesTheLineInAnyTerminal) {
  const std::vector<Frame> frames = {
      frame("boost::asio::detail::executor_function::complete<" + std::string(80, 'x') + ">()", 77),
      frame("main", 1234)};
  for (size_t columns = 40; columns <= 200; columns += 8) {
    const std::string text = stack_lines(frames, true, columns);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), columns) << text;
    EXPECT_THAT(text, HasSubstr("bank.cc:77"));
    EXPECT_THAT(text, HasSubstr("bank.cc:1234"));
  }
}

}  // namespace
}  // namespace jostle::report
