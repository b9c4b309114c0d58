// SPDX-License-Identifier: Apache-2.0
// A strategy is named with its parameters: "pct:d=5", "random:sticky=3". This reads such a
// specification against what the strategy declares; what is wrong with one is said so that the
// command can suggest the nearest right one.
#pragma once

#include <cstdint>
#include <string_view>

namespace jostle {

struct StrategyParameter {
  std::string_view name;
  uint64_t usual;
  uint64_t least, most;
  std::string_view summary;  // one line
  // Values that have names, separated by `|`: the value is the number of the name, from 0.
  std::string_view words = {};
};

inline constexpr int kMostParameters = 4;

// What --from FILE means to a strategy.
enum class StrategyTakes : unsigned char { nothing, bytes, schedule };

struct StrategyInfo {
  std::string_view name;
  std::string_view summary;                       // one line
  StrategyParameter parameters[kMostParameters];  // ended by one without a name
  bool has_graph = false;
  StrategyTakes takes = StrategyTakes::nothing;
};

// The values of a strategy's parameters, in the order it declares them.
struct StrategyValues {
  uint64_t of[kMostParameters];
};

struct StrategySpec {
  enum class Problem { none, strategy, parameter, value, range };
  Problem problem = Problem::none;
  const StrategyInfo* info = nullptr;
  const StrategyParameter* parameter = nullptr;  // with Problem::value and range
  std::string_view culprit;                      // the word that is wrong
  StrategyValues values = {};
};

// `infos` ends with an entry without a name.
StrategySpec parse_strategy(std::string_view text, const StrategyInfo* infos);

}  // namespace jostle
