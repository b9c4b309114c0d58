// SPDX-License-Identifier: Apache-2.0
// `jostle strategies`: what --strategy takes.
#include <fmt/format.h>

#include "src/cli/commands/commands.h"
#include "src/cli/options/command_line.h"
#include "src/strategy/strategy.h"

namespace jostle::cli {
namespace {

constexpr char kStrategiesExamples[] =
    "  jostle strategies\n"
    "  jostle fuzz --strategy pct:d=5 ./bank\n"
    "  jostle fuzz --strategy random:sticky=4 ./bank";

std::string usual(const StrategyParameter& parameter) {
  if (!parameter.words.empty()) {
    const std::string_view first = parameter.words.substr(0, parameter.words.find('|'));
    return fmt::format("{}; usually {}", parameter.words, first);
  }
  if (parameter.usual == parameter.most) return "usually none";
  return fmt::format("usually {}", parameter.usual);
}

}  // namespace

int strategies_command(const std::vector<std::string>& words) {
  CommandLine line("jostle strategies", "", "Lists the search strategies and their parameters.",
                   kStrategiesExamples);
  if (const auto done = line.parse(words)) return *done;
  if (!line.rest().empty()) return fail({Exit::usage, "jostle strategies lists all of them"});
  for (const StrategyInfo* info : known_strategies()) {
    fmt::print("{:<20}{}\n", info->name, info->summary);
    for (const StrategyParameter& parameter : info->parameters) {
      if (parameter.name.empty()) continue;
      fmt::print("{:<20}  {} ({}): {}\n", "", parameter.name, usual(parameter), parameter.summary);
    }
  }
  return 0;
}

}  // namespace jostle::cli
