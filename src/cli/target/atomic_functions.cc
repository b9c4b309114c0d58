// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/atomic_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/cli/target/program_code.h"
#include "src/cli/target/stop_patterns.h"
#include "src/report/symbols/function_names.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using Ranges = std::vector<channel::StopRange>;

// Nobody else has the object yet, or any more.
bool makes_or_ends_object(std::string_view name) {
  const std::string plain = report::plain_name(name);
  const size_t last = plain.rfind("::");
  if (last == std::string::npos) return false;
  const std::string_view own = std::string_view(plain).substr(last + 2);
  if (own.starts_with('~')) return true;
  const std::string_view scope = std::string_view(plain).substr(0, last);
  const size_t outer = scope.rfind("::");
  return own == scope.substr(outer == scope.npos ? 0 : outer + 2);
}

bool matches_any(const std::vector<StopPattern>& patterns, const std::string& name) {
  if (makes_or_ends_object(name)) return false;
  bool found = false;
  for (const StopPattern& pattern : patterns) {
    if (matches(pattern, name)) found = !pattern.excludes;
  }
  return found;
}

Result<std::vector<StopPattern>> parse(std::string_view text) {
  std::vector<StopPattern> patterns;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    Result<StopPattern> pattern = parse_stop_pattern(text.substr(0, end), "--atomic");
    if (!pattern) return pattern.error();
    patterns.push_back(std::move(*pattern));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return patterns;
}

bool covers(const Ranges& ranges, channel::CodeLocation begin, channel::CodeLocation end) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const channel::StopRange& range) {
    return range.begin <= begin && end <= range.end;
  });
}

Result<Ranges> find(const LaunchPlan& plan, std::string_view text,
                    const Installation& installation) {
  const Result<std::vector<StopPattern>> patterns = parse(text);
  if (!patterns) return patterns.error();
  const Result<std::vector<ModuleCode>> modules = probe_program(plan, installation);
  if (!modules) return modules.error();
  struct Copy {
    std::string name;
    channel::CodeLocation begin, end;
  };
  Ranges ranges;
  std::vector<Copy> inlined;
  for (const ModuleCode& module : *modules) {
    for (const report::Function& function : module.functions) {
      if (!matches_any(*patterns, function.name)) continue;
      for (const report::CodePiece& piece : function.code) {
        const auto begin = module.location(piece.begin), end = module.location(piece.end);
        if (piece.depth == 0) {
          ranges.push_back({begin, end, 0, 0});
        } else {
          inlined.push_back({function.name, begin, end});
        }
      }
    }
  }
  for (const Copy& copy : inlined) {
    if (covers(ranges, copy.begin, copy.end)) continue;  // into one that looks atomic itself
    return Error{Exit::usage,
                 fmt::format("--atomic: {} was inlined, where one call of it cannot be told from "
                             "the next: compile with -fno-inline, or -O0",
                             report::escape(copy.name))};
  }
  const std::string shown = report::escape(std::string(text.substr(0, text.find('\n'))));
  if (ranges.empty()) {
    return Error{Exit::usage,
                 fmt::format("--atomic: no function of the program that is instrumented matches "
                             "`{}'; `jostle stops` lists functions in which threads meet",
                             shown)};
  }
  if (ranges.size() > channel::kMaxAtomicRanges) {
    return Error{Exit::usage, fmt::format("--atomic: `{}' matches more than {} functions", shown,
                                          channel::kMaxAtomicRanges)};
  }
  return ranges;
}

}  // namespace

Result<Ranges> atomic_functions(const LaunchPlan& plan, std::string_view patterns,
                                const Installation& installation) {
  // A finding is run again many times.
  static std::map<std::string, Ranges> known;
  const std::string key = fmt::format("{}\n{}", plan.program, patterns);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  Result<Ranges> ranges = find(plan, patterns, installation);
  if (ranges) known[key] = *ranges;
  return ranges;
}

}  // namespace jostle::cli
