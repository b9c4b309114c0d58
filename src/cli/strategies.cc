// `jostle strategies`: what --strategy takes.
#include <fmt/format.h>

#include "src/cli/command_line.h"
#include "src/cli/commands.h"
#include "src/strategy/strategy.h"

namespace jostle::cli {
namespace {

constexpr char kExamples[] =
    "  jostle strategies\n"
    "  jostle fuzz --strategy pct:d=5 ./bank\n"
    "  jostle fuzz --strategy random:sticky=4 ./bank";

}  // namespace

int strategies_command(const std::vector<std::string>& words) {
  CommandLine line("jostle strategies", "", "Lists the search strategies and their parameters.",
                   kExamples);
  if (const auto done = line.parse(words)) return *done;
  for (const StrategyInfo* info = known_strategies(); !info->name.empty(); ++info) {
    fmt::print("{:<14}{}\n", info->name, info->summary);
    for (const StrategyParameter& parameter : info->parameters) {
      if (parameter.name.empty()) continue;
      fmt::print("{:<14}  {} (usually {}): {}\n", "", parameter.name, parameter.usual,
                 parameter.summary);
    }
  }
  return 0;
}

}  // namespace jostle::cli
