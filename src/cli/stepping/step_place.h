// SPDX-License-Identifier: Apache-2.0
// A place in the program as people name it: a function, or a line of a file.
#pragma once

#include <string>
#include <string_view>

#include "src/report/symbols/symbolizer.h"

namespace jostle::cli {

struct Place {
  std::string function = {};  // empty: a line
  std::string file = {};
  int line = 0;

  bool operator==(const Place&) const = default;
};

// "buffer.h:22" is a line; everything else is a function: "Remove", "Buffer::Remove".
Place parse_place(std::string_view text);

// A function may lack its scopes, a file its folders.
bool is_at(const report::Frame& frame, const Place& place);

}  // namespace jostle::cli
