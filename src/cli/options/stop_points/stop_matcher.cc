// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/stop_points/stop_matcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/cli/options/stop_points/stop_ranges.h"
#include "src/cli/support/values.h"
#include "src/report/symbols/function_names.h"
#include "src/report/symbols/module_symbols.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

bool has_entry(const report::Function& function) {
  return std::any_of(function.code.begin(), function.code.end(),
                     [](const report::CodePiece& piece) { return piece.depth == 0; });
}

}  // namespace

StopMatcher::Verdict StopMatcher::judge(const report::Function& function) {
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

void StopMatcher::add(const ModuleCode& module, const report::Function& function) {
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

void StopMatcher::match() {
  for (const ModuleCode& module : modules_) {
    for (const report::Function& function : module.functions) add(module, function);
  }
}

MaybeError StopMatcher::complaint() const {
  for (size_t i = 0; i < patterns_.size(); ++i) {
    if (!matched_[i]) return unmatched(patterns_[i]);
  }
  if (!names_.empty()) return std::nullopt;
  return Error{Exit::usage,
               fmt::format("{}: `{}': all that it matches is excluded by another pattern",
                           patterns_[0].source, report::escape(patterns_[0].text))};
}

Error StopMatcher::unmatched(const StopPattern& pattern) const {
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

std::string StopMatcher::module_without_instrumentation(const StopPattern& pattern) const {
  for (const ModuleCode& module : modules_) {
    if (module.instrumented || report::is_own_library(module.path)) continue;
    for (const report::Function& function : report::functions_of(module.path)) {
      if (matches(pattern, function.name)) return std::string(report::base_name(module.path));
    }
  }
  return {};
}

// The function that was meant most likely: of another class, or written a little otherwise.
std::string StopMatcher::suggestion(const StopPattern& pattern) const {
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

}  // namespace jostle::cli
