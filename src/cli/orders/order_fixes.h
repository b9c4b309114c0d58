// SPDX-License-Identifier: Apache-2.0
// The edit of a source line that gives its atomic operation another memory order.
//
// Found in the text, not by a compiler: only where the line has one operation of the kind, whose
// order is spelled out (memory_order_release, std::memory_order::release, __ATOMIC_RELEASE) or left
// to the default, and is a call or one of the statements `++x;`, `x += n;`, `x = n;`. Everything
// else is for a person to edit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/orders/weakest_orders.h"

namespace jostle::cli {

// Lines and columns from 1, columns in bytes; the end is not part of it.
struct SourceEdit {
  int line = 0, column = 0;
  int end_line = 0, end_column = 0;
  std::string text = {};  // instead of what is there
};

// `lines` is the whole file, `line` that of the operation. `is_c`: there are no member functions.
std::optional<SourceEdit> order_edit(const std::vector<std::string>& lines, int line,
                                     const Ordered& operation, Orders wanted, bool is_c);

}  // namespace jostle::cli
