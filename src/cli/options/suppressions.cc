// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "src/cli/support/given_file.h"
#include "src/cli/support/values.h"

namespace jostle::cli {
namespace {

bool matches_here(std::string_view pattern, std::string_view name, bool to_end) {
  if (pattern.empty()) return !to_end || name.empty();
  if (pattern[0] == '*') {
    for (size_t i = 0; i <= name.size(); ++i) {
      if (matches_here(pattern.substr(1), name.substr(i), to_end)) return true;
    }
    return false;
  }
  return !name.empty() && name[0] == pattern[0] &&
         matches_here(pattern.substr(1), name.substr(1), to_end);
}

std::string_view without_blanks(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Races of the standard library's own that do no harm: libstdc++'s std::atomic<std::shared_ptr>
// gives its lock back by a relaxed operation.
constexpr std::string_view kAlways[] = {"std::_Sp_atomic<"};

const std::vector<std::string> kKinds = {"race",   "race_top", "thread",         "mutex",
                                         "signal", "deadlock", "called_from_lib"};

}  // namespace

bool matches_suppression(std::string_view pattern, std::string_view name) {
  const bool from_start = pattern.starts_with('^');
  if (from_start) pattern.remove_prefix(1);
  const bool to_end = pattern.ends_with('$');
  if (to_end) pattern.remove_suffix(1);
  if (from_start) return matches_here(pattern, name, to_end);
  for (size_t i = 0; i <= name.size(); ++i) {
    if (matches_here(pattern, name.substr(i), to_end)) return true;
  }
  return false;
}

Result<Suppressions> Suppressions::parse(std::string_view text, const std::string& name) {
  Suppressions result;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    const std::string kind(without_blanks(line.substr(0, colon)));
    if (colon == std::string_view::npos || without_blanks(line.substr(colon + 1)).empty()) {
      return Error{Exit::usage,
                   fmt::format("{}:{}: expected a line like race:function", name, number)};
    }
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
      const std::string guess = nearest(kind, kKinds);
      return Error{Exit::usage,
                   fmt::format("{}:{}: no kind of suppression `{}'{}", name, number, kind,
                               guess.empty() ? "" : fmt::format(": did you mean {}?", guess))};
    }
    if (kind != "race" && kind != "race_top") continue;
    result.rules_.push_back(
        {std::string(without_blanks(line.substr(colon + 1))), kind == "race_top"});
  }
  return result;
}

Result<Suppressions> Suppressions::load(const std::string& path) {
  if (path.empty()) return Suppressions();
  const auto text = read_given_file(path);
  if (!text) {
    return Error{Exit::usage, fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  }
  return parse(*text, path);
}

bool Suppressions::match(const channel::RaceAccess& access, const Rule& rule,
                         report::Symbolizer& symbols) const {
  const uint32_t depth = std::min<uint32_t>(access.stack.depth, channel::kMaxStack);
  for (uint32_t i = 0; i < (rule.top_only ? std::min(depth, 1u) : depth); ++i) {
    for (const report::Frame& frame : symbols.frames(access.stack.pc[i])) {
      const std::string_view module =
          std::string_view(frame.where).substr(0, frame.where.find('+'));
      for (const std::string_view name :
           {std::string_view(frame.function), std::string_view(frame.file), module}) {
        if (!name.empty() && matches_suppression(rule.pattern, name)) return true;
      }
      if (rule.top_only) break;
    }
  }
  return false;
}

bool Suppressions::match(const channel::RaceRecord& race, report::Symbolizer& symbols) const {
  for (const std::string_view pattern : kAlways) {
    const Rule rule{std::string(pattern), false};
    if (match(race.earlier, rule, symbols) || match(race.later, rule, symbols)) return true;
  }
  for (const Rule& rule : rules_) {
    if (match(race.earlier, rule, symbols) || match(race.later, rule, symbols)) return true;
    const std::string global = rule.top_only ? "" : symbols.global(race.address);
    if (!global.empty() && matches_suppression(rule.pattern, global.substr(0, global.find('+')))) {
      return true;
    }
  }
  return false;
}

}  // namespace jostle::cli
