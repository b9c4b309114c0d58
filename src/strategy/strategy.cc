// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/strategy.h"

#include "src/strategy/guided/claim.h"
#include "src/strategy/strategies.h"

namespace jostle {

Strategy* make_strategy(std::string_view spec, const StrategyInput& input) {
  if (const std::optional<Claim> claim = read_claim(spec)) return make_claimed(*claim, input);
  const StrategySpec parsed = parse_strategy(spec, known_strategies());
  if (parsed.problem != StrategySpec::Problem::none) return nullptr;
  return parsed.info->make(parsed.values, input);
}

}  // namespace jostle
