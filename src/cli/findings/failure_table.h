// SPDX-License-Identifier: Apache-2.0
// Many failures: the first few are shown in full, of each other there is a line.
#pragma once

#include <cstdint>
#include <string>

namespace jostle::cli {

inline constexpr size_t kShownInFull = 5;

struct FailureRow {
  std::string kind = {};    // "assert"
  std::string what = {};    // and where
  uint64_t schedule = 0;    // that had it first
  std::string folder = {};  // never cut: it is copied; empty: nothing was kept
};

// What stands above the first of them.
std::string failure_table_title(size_t columns);
// A line, or two where the folder leaves no room for the rest; ends in a newline.
std::string failure_line(const FailureRow& row, size_t columns);

}  // namespace jostle::cli
