// SPDX-License-Identifier: Apache-2.0
// The strategies' makers, and what several of them need. A new strategy: one file, one line here,
// one entry in strategy.cc.
#pragma once

#include <new>

#include "src/base/engine_memory.h"
#include "src/strategy/parameters.h"
#include "src/strategy/strategy.h"

namespace jostle {

Strategy* make_none(const StrategyValues&, const StrategyInput&);
Strategy* make_random(const StrategyValues&, const StrategyInput&);
Strategy* make_round_robin(const StrategyValues&, const StrategyInput&);
Strategy* make_pct(const StrategyValues&, const StrategyInput&);
Strategy* make_pos(const StrategyValues&, const StrategyInput&);
Strategy* make_urw(const StrategyValues&, const StrategyInput&);
Strategy* make_surw(const StrategyValues&, const StrategyInput&);
Strategy* make_delay(const StrategyValues&, const StrategyInput&);
Strategy* make_ql(const StrategyValues&, const StrategyInput&);
Strategy* make_systematic_first(const StrategyValues&, const StrategyInput&);
Strategy* make_systematic_random(const StrategyValues&, const StrategyInput&);
Strategy* make_preemption_bound(const StrategyValues&, const StrategyInput&);
Strategy* make_delay_bound(const StrategyValues&, const StrategyInput&);
Strategy* make_bytes(const StrategyValues&, const StrategyInput&);
Strategy* make_seed(const StrategyValues&, const StrategyInput&);
Strategy* make_replay(const StrategyValues&, const StrategyInput&);
Strategy* make_mutate(const StrategyValues&, const StrategyInput&);
Strategy* make_events(const StrategyValues&, const StrategyInput&);
Strategy* make_hold(const StrategyValues&, const StrategyInput&);
Strategy* make_rff(const StrategyValues&, const StrategyInput&);
// Not by its name: see claim.h.
struct Claim;
Strategy* make_claimed(const Claim& claim, const StrategyInput&);
Strategy* make_portfolio(const StrategyValues&, const StrategyInput&);
// The portfolio, or partial order sampling, and beside it what comparisons tell: directed.cc.
Strategy* make_directed_portfolio(const StrategyValues&, const StrategyInput&);
Strategy* make_directed_pos(const StrategyValues&, const StrategyInput&);

template <typename T, typename... Arguments>
T* make_in_engine_memory(const Arguments&... arguments) {
  return new (engine_allocate(sizeof(T))) T(arguments...);
}

}  // namespace jostle
