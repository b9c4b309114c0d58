// SPDX-License-Identifier: Apache-2.0
// What is printed beside reports, on terminals of any width.
#include "src/cli/support/terminal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/cli/campaign/progress_display.h"
#include "src/cli/findings/failure_table.h"
#include "src/cli/support/descriptor.h"

namespace jostle::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Terminal, ColumnsAreAskedForInTheEnvironmentAndKeptWithinBounds) {
  const Descriptor none(open("/dev/null", O_RDWR | O_CLOEXEC));
  unsetenv("COLUMNS");
  EXPECT_EQ(terminal_columns(none.get()), report::kColumns);
  EXPECT_FALSE(known_columns(none.get()));
  const auto with = [&](const char* columns) {
    setenv("COLUMNS", columns, 1);
    return terminal_columns(none.get());
  };
  EXPECT_EQ(with("132"), 132u);
  EXPECT_EQ(with("10"), kNarrowestTerminal);
  EXPECT_EQ(with("1000"), kWidestTerminal);
  EXPECT_EQ(with("wide"), report::kColumns);
  EXPECT_EQ(with("0"), report::kColumns);
  EXPECT_EQ(with(""), report::kColumns);
  unsetenv("COLUMNS");
}

TEST(ProgressLines, LeaveOutWhatIsOfTheLeastInterest) {
  ProgressView view;
  view.totals.schedules = 1'234'567;
  view.totals.reads_from_pairs = 321;
  view.elapsed = std::chrono::seconds(75);
  view.failures = {{"assert", 2}, {"deadlock", 1}};
  for (size_t columns = 39; columns < 200; ++columns) {
    const std::string line = progress_lines(view, columns)[0];
    EXPECT_LE(report::width(line), columns);
    EXPECT_THAT(line, HasSubstr("1,234,567 schedules"));
  }
  EXPECT_THAT(progress_lines(view, 60)[0], HasSubstr("failures 3"));
  EXPECT_THAT(progress_lines(view, 60)[0], Not(HasSubstr("rf pairs")));
  EXPECT_THAT(progress_lines(view, 120)[0], HasSubstr("rf pairs 321"));
  EXPECT_THAT(progress_lines(view, 120)[0], HasSubstr("failures 3 (assert 2, deadlock 1)"));
}

TEST(FailureTable, HasALineEachAndNeverCutsTheFolder) {
  const FailureRow row{"assert", "assertion `total == 300' in audit at bank.cc:45", 1872,
                       "jostle-out/bank/assert-8258dc"};
  EXPECT_EQ(failure_line(row, 104),
            "  assert     assertion `total == 300' in audit at bank.cc:45        1,872  "
            "jostle-out/bank/assert-8258dc\n");
  for (size_t columns = 40; columns <= 200; columns += 10) {
    const std::string text = failure_line(row, columns);
    EXPECT_LE(report::line_count(text), 2u);
    EXPECT_THAT(text, HasSubstr(row.folder + "\n"));
    EXPECT_THAT(text, HasSubstr(":45"));
    EXPECT_LE(report::width(text.substr(0, text.find('\n'))), columns) << text;
  }
}

}  // namespace
}  // namespace jostle::cli
