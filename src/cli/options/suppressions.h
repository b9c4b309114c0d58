// SPDX-License-Identifier: Apache-2.0
// Races that the user does not want to hear of, in ThreadSanitizer's format: a `race:PATTERN` on
// each line, `#` in front of comments.
//
// A race is suppressed when the pattern matches a function, source file or module anywhere on one
// of its two stacks, or the name of the global variable it is about; `race_top:` looks at the
// innermost frames only. A pattern matches anywhere in the name unless it begins with `^` or ends
// in `$`; `*` stands for anything. Lines of ThreadSanitizer's other kinds are accepted and mean
// nothing here. A few harmless races of the standard library are always suppressed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/support/error.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/run_end.h"

namespace jostle::cli {

class Suppressions {
 public:
  // An empty path: none.
  static Result<Suppressions> load(const std::string& path);
  static Result<Suppressions> parse(std::string_view text, const std::string& name);

  bool match(const channel::RaceRecord& race, report::Symbolizer& symbols) const;

 private:
  struct Rule {
    std::string pattern;
    bool top_only;
  };
  bool match(const channel::RaceAccess& access, const Rule& rule,
             report::Symbolizer& symbols) const;

  std::vector<Rule> rules_;
};

bool matches_suppression(std::string_view pattern, std::string_view name);

}  // namespace jostle::cli
