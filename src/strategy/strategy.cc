#include "src/strategy/strategy.h"

#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr StrategyInfo kInfos[] = {
    {"none", "no preemption: a thread runs until it waits, yields or ends"},
    {"random", "random walk: every thread that can run is equally likely at every step"},
    {"pos", "partial order sampling: random scores, redrawn for racing operations"},
    {"", ""},
};

using Maker = Strategy* (*)();
constexpr Maker kMakers[] = {make_none, make_random, make_pos};
static_assert(sizeof(kMakers) / sizeof(kMakers[0]) + 1 == sizeof(kInfos) / sizeof(kInfos[0]));

}  // namespace

Strategy* make_strategy(std::string_view spec) {
  for (size_t i = 0; !kInfos[i].name.empty(); ++i) {
    if (kInfos[i].name == spec) return kMakers[i]();
  }
  return nullptr;
}

const StrategyInfo* known_strategies() { return kInfos; }

}  // namespace jostle
