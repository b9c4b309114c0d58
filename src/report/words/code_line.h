// SPDX-License-Identifier: Apache-2.0
// A line of the source as the debug information has it; 0: it is not known.
#pragma once

#include <string>

namespace jostle::report {

struct CodeLine {
  std::string file = {};
  int line = 0;
  bool known() const { return line > 0 && !file.empty(); }
  bool operator==(const CodeLine&) const = default;
};

}  // namespace jostle::report
