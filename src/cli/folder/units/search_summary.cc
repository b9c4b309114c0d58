// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/units/search_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/words/text.h"

namespace jostle::cli {

SearchSummary summary_of(SearchView& view,
                         const std::function<bool(const std::string& worker)>& is_alive) {
  SearchSummary summary;
  summary.explored = view.progress();
  summary.notes = view.notes();
  summary.units_closed = view.units_closed();
  summary.workers = view.workers().size();
  summary.damaged = view.damaged();
  for (const SearchView::Unit& unit : view.units()) {
    if (unit.is_closed) {
      ++summary.units_closed;
      continue;
    }
    ++summary.units_open;
    summary.units_leased += std::ranges::any_of(unit.leases, is_alive);
  }
  return summary;
}

std::string what_is_open(const SearchSummary& summary) {
  std::string text;
  if (summary.units_open != 0) {
    text = fmt::format("{} {} open", report::count(summary.units_open, "unit"),
                       summary.units_open == 1 ? "is" : "are");
    if (summary.units_leased != 0) {
      text += fmt::format(", {} of them leased", report::thousands(summary.units_leased));
    }
  }
  if (!summary.damaged.empty()) {
    text += fmt::format("{}{} damaged and left out: {}", text.empty() ? "" : "; ",
                        summary.damaged.size() == 1
                            ? "a file is"
                            : fmt::format("{} files are", summary.damaged.size()),
                        report::escape(summary.damaged.front()));
  }
  return text;
}

}  // namespace jostle::cli
