// SPDX-License-Identifier: Apache-2.0
// Compares patterns with all functions of a program: which code they mean, and what is wrong with
// those that mean none.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/cli/options/stop_points/stop_ranges.h"
#include "src/cli/support/error.h"
#include "src/cli/target/program_code.h"
#include "src/cli/target/stop_patterns.h"

namespace jostle::cli {

class StopMatcher {
 public:
  // Both have to outlive it.
  StopMatcher(const std::vector<StopPattern>& patterns, const std::vector<ModuleCode>& modules)
      : patterns_(patterns), modules_(modules), matched_(patterns.size()) {}

  void match();
  // The first pattern that nothing came of: probably it is not what the user meant.
  MaybeError complaint() const;
  const std::vector<StopPiece>& pieces() const { return pieces_; }
  size_t functions() const { return names_.size(); }

 private:
  // What the user wants in a function.
  struct Verdict {
    uint32_t kinds = 0, excluded = 0;
  };

  Verdict judge(const report::Function& function);
  void add(const ModuleCode& module, const report::Function& function);
  Error unmatched(const StopPattern& pattern) const;
  std::string module_without_instrumentation(const StopPattern& pattern) const;
  std::string suggestion(const StopPattern& pattern) const;

  const std::vector<StopPattern>& patterns_;
  const std::vector<ModuleCode>& modules_;
  std::vector<bool> matched_;
  std::vector<StopPiece> pieces_;
  std::set<std::string> names_;
};

}  // namespace jostle::cli
