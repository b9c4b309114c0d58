// SPDX-License-Identifier: Apache-2.0
// The pairs of a campaign (schedule/cover_table.h) with names.
#pragma once

#include <string>
#include <vector>

#include "src/report/symbols/symbolizer.h"
#include "src/schedule/cover_table.h"

namespace jostle::report {

struct CoveredPair {
  std::string left, right;
  uint64_t count = 0;
};

// Of one kind, most frequent first; pairs with the same names are one. Functions by their name,
// everything else by function, file and line.
std::vector<CoveredPair> covered_pairs(const CoverTable& table, PairKind kind, Symbolizer& symbols);

// All four kinds, at most `most` pairs of each.
std::string cover_text(const CoverTable& table, Symbolizer& symbols, size_t most);

}  // namespace jostle::report
