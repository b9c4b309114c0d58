// The strategies' makers, and what several of them need. A new strategy: one file, one line here,
// one entry in strategy.cc.
#pragma once

#include <new>

#include "src/base/engine_memory.h"
#include "src/strategy/parameters.h"
#include "src/strategy/strategy.h"

namespace jostle {

Strategy* make_none(const StrategyValues&);
Strategy* make_random(const StrategyValues&);
Strategy* make_round_robin(const StrategyValues&);
Strategy* make_pct(const StrategyValues&);
Strategy* make_pos(const StrategyValues&);
Strategy* make_urw(const StrategyValues&);
Strategy* make_surw(const StrategyValues&);
Strategy* make_delay(const StrategyValues&);

template <typename T, typename... Arguments>
T* make_in_engine_memory(const Arguments&... arguments) {
  return new (engine_allocate(sizeof(T))) T(arguments...);
}

}  // namespace jostle
