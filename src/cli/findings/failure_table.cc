// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/failure_table.h"

#include <fmt/format.h>

#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr size_t kMargin = 2, kKind = 9, kSchedule = 9, kGap = 2;
// Of what happened so much has to be seen.
constexpr size_t kLeastColumns = 36;

}  // namespace

std::string failure_table_title(size_t columns) {
  return report::wrap_words(
             "more failures, a line each: kind, what and where, the schedule, and the folder that "
             "has its report",
             columns, "  ") +
         "\n";
}

std::string failure_line(const FailureRow& row, size_t columns) {
  const std::string schedule = report::thousands(row.schedule);
  const size_t beside = kMargin + kKind + kGap + kGap + kSchedule;
  const size_t folder = kGap + report::width(row.folder);
  const bool one_line = beside + kLeastColumns + folder <= columns;
  const size_t room = columns - beside - (one_line ? folder : 0);
  std::string text =
      fmt::format("{:{}}{:<{}}  {}  {:>{}}", "", kMargin, row.kind, kKind,
                  report::pad(report::shorten(row.what, room), room), schedule, kSchedule);
  if (row.folder.empty()) return text + "\n";
  if (one_line) return fmt::format("{}  {}\n", text, row.folder);
  return fmt::format("{}\n{:{}}{}\n", text, "", kMargin + kKind + kGap, row.folder);
}

}  // namespace jostle::cli
