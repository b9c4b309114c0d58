// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/early_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "src/report/words/text.h"

namespace jostle::report {

std::string early_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                        size_t columns) {
  constexpr uint32_t kMostShown = 4;
  constexpr std::string_view kIndent = "        ";
  const uint32_t all = std::min(record.early_count, channel::kMaxEarlyExpiries);
  std::string text;
  for (const channel::EarlyExpiry& early : std::span(record.early, std::min(all, kMostShown))) {
    const std::string_view what = early.kind == OpKind::sleep ? "sleep" : "time-out";
    const std::string line =
        fmt::format("the {} of {} in {} ({}) ended while other threads could run", what,
                    duration(std::chrono::nanoseconds(early.nanoseconds)),
                    names.title(early.thread), source(symbols.line_that_matters(early.pc)));
    text += paragraph(text.empty() ? "  time  " : kIndent, line, columns);
  }
  if (all > kMostShown) text += fmt::format("        … and {} more\n", all - kMostShown);
  if (!text.empty()) {
    constexpr std::string_view kHint =
        "(on a busy machine it may; --patient leaves such schedules out)";
    text += paragraph(kIndent, kHint, columns);
  }
  return text;
}

}  // namespace jostle::report
