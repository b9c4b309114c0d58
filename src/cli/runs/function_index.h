// SPDX-License-Identifier: Apache-2.0
// Which function is a code location in? For the table of `jostle stops`, by the names that
// --stop-at takes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/cli/target/program_code.h"
#include "src/schedule/code_location.h"

namespace jostle::cli {

class FunctionIndex {
 public:
  // Keeps pointers into `modules`.
  explicit FunctionIndex(const std::vector<ModuleCode>& modules);

  // The innermost function there that is no library's, inlined ones included; that of the library
  // when there is no other. Null when nothing is known.
  const report::Function* find(channel::CodeLocation location) const;

 private:
  struct Copy {
    channel::CodeLocation begin, end;
    uint32_t depth;
    const report::Function* function;
  };
  struct Body {
    channel::CodeLocation end;
    const report::Function* function;
    std::vector<Copy> copies;  // inlined into it
  };
  Body* body_at(channel::CodeLocation location);

  std::map<channel::CodeLocation, Body> bodies_;  // by their beginning
};

}  // namespace jostle::cli
