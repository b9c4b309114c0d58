// SPDX-License-Identifier: Apache-2.0
// An interleaving as text: a column per thread, time running downwards. With many threads, or where
// columns would be too narrow for what is in them, one column, each line with its thread in front.
#pragma once

#include <string>

#include "src/report/explain/interleaving.h"
#include "src/report/model/names/names.h"

namespace jostle::report {

struct ColumnOptions {
  size_t width = 100;  // of the whole
  size_t most_columns = 4;
  bool colour = false;
};

// Ends in a newline; empty when there are no rows.
std::string columns_text(const Interleaving& interleaving, Names& names,
                         const ColumnOptions& options);

}  // namespace jostle::report
