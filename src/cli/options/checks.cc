// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/checks.h"

#include <fmt/format.h>

#include <vector>

#include "src/cli/support/values.h"
#include "src/schedule/starvation.h"

namespace jostle::cli {
namespace {

struct CheckName {
  std::string_view name;
  uint32_t bit;
};
constexpr CheckName kChecks[] = {
    {"race", channel::kCheckRace},
    {"heap", channel::kCheckHeap},
    {"leak", channel::kCheckLeak},
    {"lock-order", channel::kCheckLockOrder},
    {"starvation", channel::kCheckStarvation},
};

constexpr uint32_t all_checks() {
  uint32_t all = 0;
  for (const CheckName& check : kChecks) all |= check.bit;
  return all;
}

std::vector<std::string> words_for(bool lists) {
  std::vector<std::string> words;
  for (const CheckName& check : kChecks) words.emplace_back(check.name);
  if (lists) words.insert(words.end(), {"all", "none"});
  return words;
}

uint32_t bit_of(std::string_view name) {
  if (name == "all") return all_checks();
  for (const CheckName& check : kChecks) {
    if (check.name == name) return check.bit;
  }
  return 0;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items;
  for (size_t from = 0; from <= text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    items.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return items;
}

std::string unknown_check(const std::string& typed) {
  const std::string guess = nearest(typed, words_for(true));
  if (!guess.empty()) return fmt::format("no check `{}': did you mean {}?", typed, guess);
  return fmt::format("no check `{}' (there are {})", typed, fmt::join(words_for(true), ", "));
}

}  // namespace

std::optional<std::string> read_checks(const std::string& text, uint32_t defaults,
                                       uint32_t& checks) {
  const std::vector<std::string> items = split(text);
  const bool changes = items[0].starts_with('-') || items[0].starts_with('+');
  uint32_t result = changes ? defaults : 0;
  for (const std::string& item : items) {
    const bool removes = item.starts_with('-');
    const std::string name = removes || item.starts_with('+') ? item.substr(1) : item;
    if (name == "none" && items.size() == 1 && !changes) continue;
    const uint32_t bit = bit_of(name);
    if (bit == 0) return unknown_check(name);
    result = removes ? result & ~bit : result | bit;
  }
  checks = result;
  return std::nullopt;
}

std::string check_names(uint32_t checks) {
  std::vector<std::string_view> names;
  for (const CheckName& check : kChecks) {
    if (checks & check.bit) names.push_back(check.name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

void add_check_options(CommandLine& line, channel::Config& config, CheckOptions& options) {
  line.value("--check", "LIST",
             fmt::format("what else to look for: {}, all or none; -NAME: not this (default {})",
                         fmt::join(words_for(false), ", "), check_names(channel::kDefaultChecks)),
             [&config](const std::string& text) {
               return read_checks(text, channel::kDefaultChecks, config.checks);
             });
  line.value(
      "--fail-on", "LIST",
      fmt::format("which of them are failures, not only notes: {}, all or none (default {}); "
                  "heap, leak and starvation always are",
                  fmt::join(words_for(false), ", "), check_names(config.fail_on)),
      [&config](const std::string& text) -> std::optional<std::string> {
        if (auto wrong = read_checks(text, 0, config.fail_on)) return wrong;
        config.checks |= config.fail_on;
        return std::nullopt;
      });
  line.value(
      "--starvation-limit", "N",
      fmt::format("with --check starvation: how often others may get what a thread waits for "
                  "(default {})",
                  channel::kMostOvertakings),
      [&config](const std::string& text) -> std::optional<std::string> {
        const std::optional<uint64_t> limit = parse_number(text);
        if (!limit || *limit == 0 || *limit > INT32_MAX) {
          return fmt::format("`{}' is no number from 1 to {}", text, INT32_MAX);
        }
        config.starvation_limit = static_cast<uint32_t>(*limit);
        config.checks |= channel::kCheckStarvation;
        return std::nullopt;
      });
  line.value(
      "--volatile", "plain|atomic",
      "do volatile accesses race as plain ones do, or as relaxed atomic ones (default plain)",
      [&config, &options](const std::string& text) -> std::optional<std::string> {
        if (text != "plain" && text != "atomic") {
          return fmt::format("`{}' is neither plain nor atomic", text);
        }
        config.volatile_atomic = text == "atomic" ? 1 : 0;
        options.volatile_atomic = config.volatile_atomic;
        return std::nullopt;
      });
  line.value("--suppressions", "FILE", "races not to hear of, as ThreadSanitizer writes them",
             [&options](const std::string& text) -> std::optional<std::string> {
               options.suppressions = text;
               return std::nullopt;
             });
}

}  // namespace jostle::cli
