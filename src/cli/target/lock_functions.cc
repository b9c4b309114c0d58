// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/lock_functions.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "src/cli/support/pattern.h"
#include "src/cli/target/program_code.h"

namespace jostle::cli {
namespace {

// Of libstdc++ and libc++, for their own mutexes and locks only: what a program's type does when it
// is not to be had is the program's business, and cannot be left out.
bool locks_all(const std::string& name) {
  static const Pattern functions(
      "^std::(__1::)?(__detail::)?(lock|__lock_impl|__lock_first)"
      "<(std::(__1::)?\\w+|[<>, ])+>$");
  return functions.find(name).has_value();
}

// To read the debug information takes longer than to see that there is no need.
bool may_lock_all(const std::string& program) {
  std::ifstream in(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return bytes.find("_ZSt4lockI") != bytes.npos || bytes.find("_ZNSt3__14lockI") != bytes.npos;
}

}  // namespace

std::vector<channel::StopRange> lock_functions(const LaunchPlan& plan,
                                               const Installation& installation) {
  if (!may_lock_all(plan.program)) return {};
  const Result<std::vector<ModuleCode>> modules = probe_program(plan, installation);
  if (!modules) return {};
  std::vector<channel::StopRange> all;
  for (const ModuleCode& module : *modules) {
    for (const report::Function& function : module.functions) {
      if (!locks_all(function.name)) continue;
      for (const report::CodePiece& piece : function.code) {
        all.push_back(
            {module.location(piece.begin), module.location(piece.end), channel::kStopLocksAll, 0});
      }
    }
  }
  std::ranges::sort(all, {}, &channel::StopRange::begin);
  std::vector<channel::StopRange> merged;
  for (const channel::StopRange& range : all) {
    if (merged.empty() || merged.back().end < range.begin) {
      merged.push_back(range);
    } else {
      merged.back().end = std::max(merged.back().end, range.end);
    }
  }
  if (merged.size() > channel::kMaxStopRanges) merged.clear();
  return merged;
}

}  // namespace jostle::cli
