#include "src/strategy/strategy.h"

#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr StrategyParameter kSteps = {"k", 100, 1, 1'000'000'000,
                                      "steps of a run to begin with; learned as runs are longer"};

constexpr StrategyInfo kInfos[] = {
    {"none", "no preemption: a thread runs until it waits, yields or ends", {}},
    {"random",
     "random walk: every thread that can run is equally likely at every step",
     {{"sticky", 0, 0, 30, "b: the current thread goes on with probability 1 - 2^-b"}}},
    {"round-robin", "every thread in turn", {{"quantum", 1, 1, 1'000'000'000, "steps of a turn"}}},
    {"pct",
     "random priorities, and some changes of them in a run",
     {{"d", 3, 1, 1000, "depth: 1 + the number of changes"}, kSteps}},
    {"pos", "partial order sampling: random scores, redrawn for racing operations", {}},
    {"urw", "uniform random walk: threads in proportion to what they have left to do", {}},
    {"surw", "selectively uniform: uniform over the accesses to one object per run", {}},
    {"delay",
     "one thread after the other, but for some random steps that skip whose turn it is",
     {{"b", 3, 0, 1000, "bound: the number of delays"}, kSteps}},
    {"", "", {}},
};

using Maker = Strategy* (*)(const StrategyValues&);
constexpr Maker kMakers[] = {make_none, make_random, make_round_robin, make_pct,
                             make_pos,  make_urw,    make_surw,        make_delay};
static_assert(sizeof(kMakers) / sizeof(kMakers[0]) + 1 == sizeof(kInfos) / sizeof(kInfos[0]));

}  // namespace

Strategy* make_strategy(std::string_view spec) {
  const StrategySpec parsed = parse_strategy(spec, kInfos);
  if (parsed.problem != StrategySpec::Problem::none) return nullptr;
  return kMakers[parsed.info - kInfos](parsed.values);
}

const StrategyInfo* known_strategies() { return kInfos; }

}  // namespace jostle
