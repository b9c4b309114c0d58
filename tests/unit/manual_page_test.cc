// SPDX-License-Identifier: Apache-2.0
// Manual pages: whatever a help text holds is text.
#include "src/cli/options/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jostle::cli {
namespace {

using testing::HasSubstr;

TEST(ManualPage, TextIsNeitherRequestNorEscape) {
  EXPECT_EQ(roff_text(".SH is text"), "\\&.SH is text");
  EXPECT_EQ(roff_text("'quoted'"), "\\&\\[aq]quoted\\[aq]");
  EXPECT_EQ(roff_text("a\\n \"b\" ~^`"), "a\\en \\[dq]b\\[dq] \\[ti]\\[ha]\\[ga]");
  EXPECT_EQ(roff_text("--stop-at"), "\\-\\-stop\\-at");
}

TEST(ManualPage, CharactersNeedNoEncoding) {
  EXPECT_EQ(roff_text("é … 𝄞"), "\\[u00E9] \\[u2026] \\[u1D11E]");
  // Cut off in the middle of a character: one byte at a time, never beyond the end.
  EXPECT_EQ(roff_text("\xe2\x80"), "\\[u00E2]\\[u0080]");
}

TEST(ManualPage, HasAllThatTheCommandSays) {
  const std::string page = manual_page({"jostle fuzz",
                                        "[options] program",
                                        "Runs it.",
                                        {{{"-t", "--time"}, "TIME", "stop then"}},
                                        "  jostle fuzz ./bank\n  .hidden"});
  EXPECT_THAT(page, HasSubstr(".TH jostle\\-fuzz 1 "));
  EXPECT_THAT(page, HasSubstr("jostle\\-fuzz \\- run a program under many schedules"));
  EXPECT_THAT(page, HasSubstr("\\fBjostle fuzz\\fR [options] program\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-t\\fR, \\fB\\-\\-time\\fR \\fITIME\\fR\nstop then\n"));
  EXPECT_THAT(page, HasSubstr(".EX\n  jostle fuzz ./bank\n  .hidden\n.EE\n"));
}

TEST(ManualPage, OverviewListsEveryCommand) {
  EXPECT_THAT(manual_overview(), HasSubstr(".TP\n\\fBjostle c++\\fR\n"));
  EXPECT_THAT(manual_overview(), HasSubstr("\\fBjostle\\-strategies\\fR(1)\n"));
}

}  // namespace
}  // namespace jostle::cli
