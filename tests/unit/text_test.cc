// SPDX-License-Identifier: Apache-2.0
#include "src/report/words/text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace jostle::report {
namespace {

TEST(Escape, MakesHostileTextHarmless) {
  EXPECT_EQ(escape("plain text, ünïcode, →"), "plain text, ünïcode, →");
  EXPECT_EQ(escape("\x1b[2Jgone"), "\\x1b[2Jgone");
  EXPECT_EQ(escape("a\nb\tc"), "a\\x0ab\\x09c");
  EXPECT_EQ(escape("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(escape("\xc3"), "\\xc3");                    // cut off
  EXPECT_EQ(escape("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(escape("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(escape("\xc2\x9b"), "\\xc2\\x9b");           // C1 control
  EXPECT_EQ(escape("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(Numbers, AreReadable) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1000), "1,000");
  EXPECT_EQ(thousands(4011225), "4,011,225");
  EXPECT_EQ(thousands(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(count(1, "schedule"), "1 schedule");
  EXPECT_EQ(count(1872, "schedule"), "1,872 schedules");
  EXPECT_EQ(rough(0), "0");
  EXPECT_EQ(rough(137'412), "137k");
  EXPECT_EQ(rough(1'234'567), "1.2M");
  EXPECT_EQ(rough(999'600), "1.0M");
  EXPECT_EQ(about(7), "about 7");
  EXPECT_EQ(about(1'024), "about 1,024");
  EXPECT_EQ(about(38'400), "about 38k");
  EXPECT_EQ(about(UINT64_MAX), "more than 1,000T");
}

TEST(Times, AreReadable) {
  using namespace std::chrono_literals;
  EXPECT_EQ(clock(3s), "0:03");
  EXPECT_EQ(clock(760s), "12:40");
  EXPECT_EQ(clock(3723s), "1:02:03");
  EXPECT_EQ(duration(10s), "10 s");
  EXPECT_EQ(duration(500ms), "500 ms");
  EXPECT_EQ(duration(5min), "5 m");
}

TEST(Shorten, KeepsBothEnds) {
  EXPECT_EQ(shorten("short", 10), "short");
  EXPECT_EQ(shorten("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(width(shorten("äöüäöüäöü", 4)), 4u);
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_EQ(wrap("one two three", 7, "  "), "one two\n  three");
  EXPECT_EQ(wrap("unbreakable", 4, "  "), "unbreakable");
}

TEST(Wrap, WordsThatAreTooLongAreBrokenBehindASign) {
  EXPECT_EQ(wrap_words("one two three", 7, "  "), "one two\n  three");
  EXPECT_EQ(wrap_words("see std::vector<std::string>::push_back", 20, "  "),
            "see\n  std::vector<std::\n  string>::push_back");
  for (const size_t columns : {40, 60}) {
    const std::string text =
        wrap_words("in " + std::string(200, 'x') + " at y.cc:1", columns, "    ");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), columns) << text;
  }
}

TEST(Fit, BreaksOnlyWhatIsTooWide) {
  EXPECT_EQ(fit("  short\n\n  is it wider than that\n", 16),
            "  short\n\n  is it wider\n      than that\n");
  EXPECT_EQ(fit("", 16), "");
}

TEST(Lines, AreCounted) {
  EXPECT_EQ(line_count(""), 0u);
  EXPECT_EQ(line_count("a\n\nb\n"), 3u);
}

TEST(Bounded, NeedsNoTerminator) {
  const char full[3] = {'a', 'b', 'c'};
  EXPECT_EQ(bounded(full), "abc");
  const char ended[4] = "ab";
  EXPECT_EQ(bounded(ended), "ab");
}

}  // namespace
}  // namespace jostle::report
