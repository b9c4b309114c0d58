// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/lock_functions.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "src/cli/target/program_code.h"
#include "src/report/symbols/function_names.h"

namespace jostle::cli {
namespace {

// Of libstdc++ and libc++.
bool locks_all(const std::string& name) {
  const std::string plain = report::plain_name(name);
  return plain == "std::lock" || plain == "std::__detail::__lock_impl" ||
         plain == "std::__1::lock" || plain == "std::__1::__lock_first";
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
