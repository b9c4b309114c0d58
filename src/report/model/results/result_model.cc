// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/results/result_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr size_t kMostOfOutput = 48;

std::string shown_output(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.empty() ? "nothing" : fmt::format("\"{}\"", shorten(escape(text), kMostOfOutput));
}

// A word has eight bytes, and what is in it mostly four: that which differs.
std::string shown_word(uint64_t value, uint64_t other) {
  const bool upper_differs = (value ^ other) >> 32 != 0;
  const bool lower_differs = static_cast<uint32_t>(value ^ other) != 0;
  constexpr uint64_t kLargest = 1 << 20;
  if (!upper_differs) return fmt::format("{}", static_cast<int32_t>(value));
  if (!lower_differs) return fmt::format("{}", static_cast<int32_t>(value >> 32));
  if (std::max(value, other) < kLargest) return fmt::format("{}", value);
  return "something else";  // a pointer, most likely
}

}  // namespace

ResultModel result_of(const channel::RunRecord& record, Names& names) {
  ResultModel model;
  if (record.end.outcome != channel::Outcome::not_atomic) return model;
  const ResultVerdict& verdict = record.result_verdict;
  const ResultDifference& nearest = verdict.nearest;
  model.runs = verdict.runs;
  if (nearest.status) {
    model.rows.push_back({"exit status", fmt::format("{}", record.end.code),
                          fmt::format("{}", verdict.status_there)});
  }
  if (nearest.output) {
    model.rows.push_back({"output", shown_output(bounded(verdict.output_here)),
                          shown_output(bounded(verdict.output_there))});
  }
  const uint32_t words = std::min(nearest.words, ResultDifference::kMost);
  for (uint32_t i = 0; i < words; ++i) {
    const auto& [address, here, there] = nearest.first[i];
    const bool is_upper = ((here ^ there) & UINT32_MAX) == 0;
    model.rows.push_back({names.object(address + (is_upper ? 4 : 0)), shown_word(here, there),
                          shown_word(there, here)});
  }
  model.more = nearest.words - words;
  return model;
}

}  // namespace jostle::report
