// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/stop_points/stop_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/cli/options/stop_points/stop_matcher.h"
#include "src/cli/options/stop_points/stop_ranges.h"
#include "src/cli/support/values.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::Points;

std::optional<std::string> read_points(const std::string& text, PointOptions& options) {
  for (const Points points : {Points::all, Points::synchronisation, Points::stops}) {
    if (text != name(points)) continue;
    options.points = points;
    return std::nullopt;
  }
  return "expected all, sync or stops";
}

MaybeError check(const PointOptions& options) {
  const bool has_patterns = !options.patterns.empty();
  if (options.points == Points::stops && !has_patterns) {
    return Error{Exit::usage,
                 "--points=stops: which functions? add --stop-at 'Buffer::*' or --stop-file FILE "
                 "(`jostle stops` proposes some)"};
  }
  if (options.points && options.points != Points::stops && has_patterns) {
    return Error{Exit::usage,
                 fmt::format("--points={} does not go with stop points: leave it out, then threads "
                             "are preempted at stop points and at synchronisation (--stop-only: "
                             "at stop points only)",
                             name(*options.points))};
  }
  if (options.stop_only && !has_patterns) {
    return Error{Exit::usage, "--stop-only: only where? add --stop-at 'Buffer::*'"};
  }
  const bool excludes_all = std::all_of(options.patterns.begin(), options.patterns.end(),
                                        [](const StopPattern& p) { return p.excludes; });
  if (has_patterns && excludes_all) {
    return Error{Exit::usage,
                 fmt::format("{}: `{}' only takes away: add --stop-at '*' or another pattern that "
                             "it is an exception to",
                             options.patterns[0].source, report::escape(options.patterns[0].text))};
  }
  return std::nullopt;
}

// Neighbours with nothing but padding between them.
std::vector<channel::StopRange> join_neighbours(const std::vector<channel::StopRange>& ranges) {
  constexpr uint64_t kPadding = 16;
  std::vector<channel::StopRange> result;
  for (const channel::StopRange& range : ranges) {
    if (!result.empty() && result.back().kinds == range.kinds &&
        range.begin - result.back().end < kPadding && range.kinds == channel::kStopLibrary) {
      result.back().end = range.end;
    } else {
      result.push_back(range);
    }
  }
  return result;
}

}  // namespace

std::string_view name(Points points) {
  switch (points) {
    case Points::all:
      return "all";
    case Points::synchronisation:
      return "sync";
    case Points::stops:
      return "stops";
  }
  return "?";
}

std::string PointOptions::typed() const {
  std::string text;
  for (const std::string& word : words) text += " " + shell_quote(word);
  return stop_only ? text + " --stop-only" : text;
}

void add_point_options(CommandLine& line, PointOptions& options) {
  line.value("--points", "WHICH",
             "where threads are preempted: all (default), sync: not at plain memory accesses, "
             "stops: in functions given by --stop-at",
             [&options](const std::string& text) {
               options.words.push_back("--points=" + text);
               return read_points(text, options);
             });
  line.list("--stop-at", "PATTERN",
            "a function to preempt threads in, like 'Buffer::*'; entry:, inside: or weak: in "
            "front; '!Buffer::size' excludes (docs/stop-points.md)",
            [&options](const std::string& text) -> MaybeError {
              Result<StopPattern> pattern = parse_stop_pattern(text, "--stop-at");
              if (!pattern) return pattern.error();
              options.patterns.push_back(std::move(*pattern));
              options.words.insert(options.words.end(), {"--stop-at", text});
              return std::nullopt;
            });
  line.list("--stop-file", "FILE", "the same from a file, one a line, # comments",
            [&options](const std::string& path) -> MaybeError {
              Result<std::vector<StopPattern>> patterns = read_stop_file(path);
              if (!patterns) return patterns.error();
              options.patterns.insert(options.patterns.end(), patterns->begin(), patterns->end());
              options.words.insert(options.words.end(), {"--stop-file", path});
              return std::nullopt;
            });
  line.flag("--stop-only", "with stop points: do not preempt at synchronisation elsewhere",
            options.stop_only);
}

void PointSetting::apply(channel::Config& config, LaunchPlan& plan) const {
  config.points = points;
  config.stop_only = stop_only ? 1 : 0;
  plan.stops = ranges;
}

std::string PointSetting::headline() const {
  switch (points) {
    case Points::all:
      return "";
    case Points::synchronisation:
      return "preempted at synchronisation only";
    case Points::stops:
      return fmt::format("stop points: {}{}", report::count(functions, "function"),
                         stop_only ? " only" : "");
  }
  return "";
}

Result<PointSetting> find_points(const PointOptions& options, const LaunchPlan& plan,
                                 const Installation& installation) {
  if (const MaybeError error = check(options)) return *error;
  PointSetting setting;
  setting.points = options.points.value_or(options.patterns.empty() ? Points::all : Points::stops);
  setting.stop_only = options.stop_only;
  if (options.patterns.empty()) return setting;
  Result<std::vector<ModuleCode>> modules = probe_program(plan, installation);
  if (!modules) return modules.error();
  StopMatcher matcher(options.patterns, *modules);
  matcher.match();
  if (const MaybeError error = matcher.complaint()) return *error;
  setting.functions = matcher.functions();
  setting.ranges = join_neighbours(disjoint_ranges(matcher.pieces()));
  if (setting.ranges.size() > channel::kMaxStopRanges) {
    // What the user asked for comes first: library code then counts for itself.
    std::erase_if(setting.ranges, [](const channel::StopRange& range) {
      return range.kinds == channel::kStopLibrary;
    });
  }
  if (setting.ranges.size() > channel::kMaxStopRanges) {
    return Error{Exit::usage,
                 fmt::format("the patterns match {} in {} pieces of code, more than {}: exclude "
                             "some, for example --stop-at '!std::*'",
                             report::count(setting.functions, "function"),
                             report::thousands(setting.ranges.size()),
                             report::thousands(channel::kMaxStopRanges))};
  }
  return setting;
}

std::vector<channel::StopRange> library_ranges(const std::vector<ModuleCode>& modules) {
  const std::vector<StopPattern> none;
  StopMatcher matcher(none, modules);
  matcher.match();
  std::vector<channel::StopRange> ranges = join_neighbours(disjoint_ranges(matcher.pieces()));
  if (ranges.size() > channel::kMaxStopRanges) ranges.resize(channel::kMaxStopRanges);
  return ranges;
}

}  // namespace jostle::cli
