// SPDX-License-Identifier: Apache-2.0
// The table of all strategies. Alone in its file, so that a test can link a longer one.
#include "src/strategy/parameters.h"

#ifndef JOSTLE_STRATEGY_LIST
#define JOSTLE_STRATEGY_LIST "src/strategy/strategy_list.h"
#endif

namespace jostle {

#define JOSTLE_LISTED(identifier) extern const StrategyInfo identifier;
#include JOSTLE_STRATEGY_LIST
#undef JOSTLE_LISTED

StrategyTable known_strategies() {
  static constexpr const StrategyInfo* kTable[] = {
#define JOSTLE_LISTED(identifier) &identifier,
#include JOSTLE_STRATEGY_LIST
#undef JOSTLE_LISTED
  };
  return kTable;
}

}  // namespace jostle
