// SPDX-License-Identifier: Apache-2.0
// A strategy is named with its parameters: "pct:d=5", "random:sticky=3". This reads such a
// specification against what the strategy declares; what is wrong with one is said so that the
// command can suggest the nearest right one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/schedule/channel.h"
#include "src/schedule/hub.h"

namespace jostle {

class Strategy;

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

// What the user gives a strategy to begin with.
struct StrategyInput {
  const uint8_t* bytes = nullptr;
  size_t byte_count = 0;
  const channel::Schedule* schedule = nullptr;
  Hub* hub = nullptr;  // what all workers of the campaign share; null: there are no others
  uint32_t worker = 0, workers = 1;
  // Of tasks that are finite (each single delay, each callback held back) those whose number is
  // `part` modulo `parts`: the others are somebody else's.
  uint32_t part = 0, parts = 1;
  bool is_ours(uint64_t task) const { return task % parts == part; }
  // A search of all executions gives up a run that is too long for it: there are other searches.
  bool is_one_of_several = false;
};

struct StrategyValues;

// All that is known about a strategy by its name: the file that has the strategy defines one of
// these, and a line in strategy_list.h makes it known.
struct StrategyInfo {
  std::string_view name;
  std::string_view summary;                       // one line
  StrategyParameter parameters[kMostParameters];  // ended by one without a name
  Strategy* (*make)(const StrategyValues&, const StrategyInput&);
  bool has_graph = false;
  StrategyTakes takes = StrategyTakes::nothing;
  bool needs_it = false;  // it does not work without

  // Its place in `parameters`; -1: there is none of that name.
  int find(std::string_view parameter) const;
};

using StrategyTable = std::span<const StrategyInfo* const>;

// The values of a strategy's parameters, by their names.
struct StrategyValues {
  const StrategyInfo* info = nullptr;
  uint64_t of[kMostParameters] = {};

  // It is one of those that the strategy declares.
  uint64_t operator[](std::string_view parameter) const;
  // For those with words: it has the value of the first one.
  bool is_first_word(std::string_view parameter) const { return (*this)[parameter] == 0; }
};

struct StrategySpec {
  enum class Problem { none, strategy, parameter, value, range };
  Problem problem = Problem::none;
  const StrategyInfo* info = nullptr;
  const StrategyParameter* parameter = nullptr;  // with Problem::value and range
  std::string_view culprit;                      // the word that is wrong
  StrategyValues values = {};
};

StrategySpec parse_strategy(std::string_view text, StrategyTable strategies);

// All strategies, in the order in which they are listed.
StrategyTable known_strategies();

}  // namespace jostle
