#include "src/cli/stop_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/cli/stop_ranges.h"
#include "src/cli/values.h"
#include "src/report/function_names.h"
#include "src/report/module_symbols.h"
#include "src/report/symbolizer.h"
#include "src/report/text.h"

namespace jostle::cli {
namespace {

using channel::Points;

constexpr uint32_t kStops = channel::kStopEntry | channel::kStopInside;

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

// What the user wants in a function.
struct Verdict {
  uint32_t kinds = 0, excluded = 0;
};

class Matcher {
 public:
  Matcher(const std::vector<StopPattern>& patterns, const std::vector<ModuleCode>& modules)
      : patterns_(patterns), modules_(modules), matched_(patterns.size()) {}

  void match();
  MaybeError complaint() const;
  const std::vector<StopPiece>& pieces() const { return pieces_; }
  size_t functions() const { return names_.size(); }

 private:
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

bool has_entry(const report::Function& function) {
  return std::any_of(function.code.begin(), function.code.end(),
                     [](const report::CodePiece& piece) { return piece.depth == 0; });
}

Verdict Matcher::judge(const report::Function& function) {
  // A copy that was inlined is not entered in a way that could be seen.
  const uint32_t possible = has_entry(function) ? kStops : uint32_t{channel::kStopInside};
  Verdict verdict;
  bool strong = false;
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const StopPattern& pattern = patterns_[i];
    if (!(pattern.kinds & possible) || !matches(pattern, function.name)) continue;
    matched_[i] = true;
    if (pattern.excludes) {
      verdict.excluded |= pattern.kinds & kStops;
    } else {
      verdict.kinds |= pattern.kinds & possible;
      strong = strong || !(pattern.kinds & channel::kStopWeak);
    }
  }
  verdict.kinds &= ~verdict.excluded;
  if (verdict.kinds != 0 && !strong) verdict.kinds |= channel::kStopWeak;
  return verdict;
}

void Matcher::add(const ModuleCode& module, const report::Function& function) {
  const Verdict verdict = judge(function);
  if (verdict.kinds & kStops) names_.insert(function.name);
  const bool library = report::is_library_name(function.name);
  for (const report::CodePiece& code : function.code) {
    StopPiece piece{module.location(code.begin), module.location(code.end), code.depth,
                    verdict.kinds, verdict.excluded};
    if (code.depth != 0) {
      piece.kinds &= ~channel::kStopEntry;
      piece.excluded &= ~channel::kStopEntry;
    }
    // The user's code inside of the library's is the user's; a copy of the library's code belongs
    // to whoever it was inlined into.
    if (library && code.depth == 0) piece.kinds |= channel::kStopLibrary;
    if (!library) piece.excluded |= channel::kStopLibrary;
    if ((piece.kinds & ~channel::kStopWeak) != 0 || piece.excluded != 0) pieces_.push_back(piece);
  }
}

void Matcher::match() {
  for (const ModuleCode& module : modules_) {
    for (const report::Function& function : module.functions) add(module, function);
  }
}

// The first pattern that nothing came of: probably it is not what the user meant.
MaybeError Matcher::complaint() const {
  for (size_t i = 0; i < patterns_.size(); ++i) {
    if (!matched_[i]) return unmatched(patterns_[i]);
  }
  if (!names_.empty()) return std::nullopt;
  return Error{Exit::usage,
               fmt::format("{}: `{}': all that it matches is excluded by another pattern",
                           patterns_[0].source, report::escape(patterns_[0].text))};
}

Error Matcher::unmatched(const StopPattern& pattern) const {
  const std::string begin =
      fmt::format("{}: no function matches `{}'", pattern.source, report::escape(pattern.text));
  const bool any_instrumented = std::any_of(modules_.begin(), modules_.end(),
                                            [](const ModuleCode& m) { return m.instrumented; });
  if (!any_instrumented) {
    return {Exit::usage, begin +
                             ": nothing here is instrumented, and stop points are only in code "
                             "that was built with `jostle c++`"};
  }
  StopPattern anywhere = pattern;
  anywhere.kinds = kStops;
  for (const ModuleCode& module : modules_) {
    for (const report::Function& function : module.functions) {
      if (!matches(anywhere, function.name)) continue;
      return {Exit::usage,
              fmt::format("{}: {} was inlined wherever it is called and is not entered any more: "
                          "write inside:, or compile with -fno-inline",
                          begin, report::escape(function.name))};
    }
  }
  if (const std::string module = module_without_instrumentation(pattern); !module.empty()) {
    return {Exit::usage, fmt::format("{} but one of {}, which is not instrumented: stop points are "
                                     "only in code that was built with `jostle c++`",
                                     begin, report::escape(module))};
  }
  if (const std::string guess = suggestion(pattern); !guess.empty()) {
    return {Exit::usage, fmt::format("{}: did you mean {}?", begin, report::escape(guess))};
  }
  for (const ModuleCode& module : modules_) {
    if (!module.instrumented) continue;
    const auto symbols = report::ModuleSymbols::open(module.path);
    if (symbols != nullptr && symbols->has_debug_info()) continue;
    return {Exit::usage,
            fmt::format("{}: {} has no debug information, so that functions that were inlined are "
                        "not known: compile with -g",
                        begin, report::escape(report::base_name(module.path)))};
  }
  return {Exit::usage, begin + ": `jostle stops` lists functions in which threads meet"};
}

std::string Matcher::module_without_instrumentation(const StopPattern& pattern) const {
  for (const ModuleCode& module : modules_) {
    if (module.instrumented || report::is_own_library(module.path)) continue;
    for (const report::Function& function : report::functions_of(module.path)) {
      if (matches(pattern, function.name)) return std::string(report::base_name(module.path));
    }
  }
  return {};
}

// The function that was meant most likely: of another class, or written a little otherwise.
std::string Matcher::suggestion(const StopPattern& pattern) const {
  StopPattern in_any_scope = pattern;
  in_any_scope.glob = "*::" + pattern.glob;
  const bool is_glob = pattern.glob.find('*') != std::string::npos;
  std::set<std::string> candidates;
  for (const ModuleCode& module : modules_) {
    for (const report::Function& function : module.functions) {
      if (report::is_library_name(function.name)) continue;
      if (matches(in_any_scope, function.name)) return function.name;
      const std::string plain = report::plain_name(function.name);
      const size_t scope = plain.rfind("::");
      if (!is_glob) candidates.insert(plain);
      if (is_glob && scope != std::string::npos) candidates.insert(plain.substr(0, scope) + "::*");
    }
  }
  return nearest(pattern.glob, {candidates.begin(), candidates.end()});
}

// Neighbours with nothing but padding between them.
std::vector<channel::StopRange> join_neighbours(std::vector<channel::StopRange> ranges) {
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
  Matcher matcher(options.patterns, *modules);
  matcher.match();
  if (const MaybeError error = matcher.complaint()) return *error;
  setting.functions = matcher.functions();
  setting.ranges = join_neighbours(disjoint_ranges(matcher.pieces()));
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
  Matcher matcher(none, modules);
  matcher.match();
  std::vector<channel::StopRange> ranges = join_neighbours(disjoint_ranges(matcher.pieces()));
  if (ranges.size() > channel::kMaxStopRanges) ranges.resize(channel::kMaxStopRanges);
  return ranges;
}

}  // namespace jostle::cli
