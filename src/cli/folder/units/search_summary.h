// SPDX-License-Identifier: Apache-2.0
// What is known of a search that is divided into units, for a verdict.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "src/cli/folder/units/search_view.h"
#include "src/schedule/exploration.h"

namespace jostle::cli {

struct SearchSummary {
  channel::Exploration explored = {};
  SearchNotes notes = {};
  uint64_t units_closed = 0;
  size_t units_open = 0, units_leased = 0;  // leased, to somebody alive, are open, too
  size_t workers = 0;                       // whose answers count
  std::vector<std::string> damaged = {};    // files
};

// `is_alive`: is this worker?
SearchSummary summary_of(SearchView& view,
                         const std::function<bool(const std::string& worker)>& is_alive);

// "3 units are open, 1 of them leased", "2 files cannot be read: …"; empty: nothing is.
std::string what_is_open(const SearchSummary& summary);

}  // namespace jostle::cli
