// SPDX-License-Identifier: Apache-2.0
// What files of strategies have in common. A new strategy is one file, which ends in
//
//   JOSTLE_STRATEGY(kMine) = {"mine", "what it does, in a line", {}, made<Mine>};
//
// and one line in strategy_list.h: JOSTLE_LISTED(kMine).
#pragma once

#include <new>
#include <type_traits>

#include "src/base/engine_memory.h"
#include "src/strategy/parameters.h"
#include "src/strategy/strategy.h"

#define JOSTLE_STRATEGY(identifier)     \
  extern const StrategyInfo identifier; \
  constinit const StrategyInfo identifier

namespace jostle {

template <typename T, typename... Arguments>
T* make_in_engine_memory(const Arguments&... arguments) {
  return new (engine_allocate(sizeof(T))) T(arguments...);
}

// A maker: T is constructed of its parameters' values and what the user gave, or of one of them, or
// of nothing.
template <typename T>
Strategy* made([[maybe_unused]] const StrategyValues& values,
               [[maybe_unused]] const StrategyInput& input) {
  if constexpr (std::is_constructible_v<T, const StrategyValues&, const StrategyInput&>) {
    return make_in_engine_memory<T>(values, input);
  } else if constexpr (std::is_constructible_v<T, const StrategyValues&>) {
    return make_in_engine_memory<T>(values);
  } else if constexpr (std::is_constructible_v<T, const StrategyInput&>) {
    return make_in_engine_memory<T>(input);
  } else {
    return make_in_engine_memory<T>();
  }
}

// Steps of a run, for strategies that draw points in it.
inline constexpr StrategyParameter kStepsParameter = {
    "k", 100, 1, 1'000'000'000, "steps of a run to begin with; learned as runs are longer"};

// Not by its name: see claim.h.
struct Claim;
Strategy* make_claimed(const Claim& claim, const StrategyInput& input);
// `other`, and beside it what comparisons tell: directed.cc.
Strategy* make_directed(Strategy* other);

}  // namespace jostle
