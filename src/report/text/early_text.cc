// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/early_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "src/report/words/text.h"

namespace jostle::report {

std::vector<std::string> early_sentences(const channel::RunRecord& record, Symbolizer& symbols,
                                         Names& names) {
  constexpr uint32_t kMostShown = 4;
  const uint32_t all = std::min(record.early_count, channel::kMaxEarlyExpiries);
  std::vector<std::string> sentences;
  for (const channel::EarlyExpiry& early : std::span(record.early, std::min(all, kMostShown))) {
    const std::string_view what = early.kind == OpKind::sleep ? "sleep" : "time-out";
    sentences.push_back(fmt::format("the {} of {} in {} ({}) ended while other threads could run",
                                    what, duration(std::chrono::nanoseconds(early.nanoseconds)),
                                    names.title(early.thread),
                                    source(symbols.line_that_matters(early.pc))));
  }
  if (all > kMostShown) sentences.push_back(fmt::format("… and {} more", all - kMostShown));
  return sentences;
}

std::string early_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                        size_t columns) {
  constexpr std::string_view kIndent = "        ";
  std::string text;
  for (const std::string& sentence : early_sentences(record, symbols, names)) {
    text += paragraph(text.empty() ? "  time  " : kIndent, sentence, columns);
  }
  if (!text.empty()) text += paragraph(kIndent, kEarlyHint, columns);
  return text;
}

}  // namespace jostle::report
