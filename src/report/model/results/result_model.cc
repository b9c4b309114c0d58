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

std::string shown_half(uint64_t value) {
  return fmt::format("{}", static_cast<int32_t>(value & UINT32_MAX));
}

// Which object it is has no name: what is known of a pointer is a hash.
std::string shown_pointer(uint64_t value, bool points, const char* what) {
  return points ? what : value == 0 ? "nullptr" : fmt::format("{}", value);
}

// The variable of eight bytes, in words; by its number if its type does not say.
std::string shown_whole(Names& names, uintptr_t address, uint64_t value) {
  const std::string text = names.value(address, value, 8);
  return text.empty() ? fmt::format("{}", static_cast<int64_t>(value)) : text;
}

// A word has eight bytes, and what is in it mostly four: those that differ.
void add_word(Names& names, const ResultDifference::Word& word, std::vector<ResultModel::Row>& to) {
  const auto& [address, here, there, points_here, points_there] = word;
  if (points_here || points_there) {
    const char* here_too = points_there ? "a pointer to something else" : "a pointer";
    to.push_back({names.object(address), shown_pointer(here, points_here, here_too),
                  shown_pointer(there, points_there, "a pointer")});
    return;
  }
  const bool is_lower = ((here ^ there) & UINT32_MAX) != 0, is_upper = (here ^ there) >> 32 != 0;
  // Variables of their own, and not the middle of one.
  const bool are_two =
      is_lower && is_upper && names.object(address + 4).find('+') == std::string::npos;
  if (is_lower && is_upper && !are_two) {
    to.push_back({names.object(address), shown_whole(names, address, here),
                  shown_whole(names, address, there)});
    return;
  }
  if (is_lower) to.push_back({names.object(address), shown_half(here), shown_half(there)});
  if (is_upper) {
    to.push_back({names.object(address + 4), shown_half(here >> 32), shown_half(there >> 32)});
  }
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
  for (uint32_t i = 0; i < words; ++i) add_word(names, nearest.first[i], model.rows);
  model.more = nearest.words - words;
  return model;
}

}  // namespace jostle::report
