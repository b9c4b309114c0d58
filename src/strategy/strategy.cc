// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/strategy.h"

#include "src/strategy/guided/claim.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr StrategyParameter kSteps = {"k", 100, 1, 1'000'000'000,
                                      "steps of a run to begin with; learned as runs are longer"};

constexpr uint64_t kNoBound = 1'000'000;

constexpr StrategyInfo kInfos[] = {
    {"portfolio", "several of the following side by side, those that bring news more often", {}},
    {"rff",
     "reads-from fuzzing: which read observes which write is mutated and steered",
     {{"feedback", 0, 0, 1, "what brings news is kept and changed", "on|off"},
      {"constraints", 0, 0, 1, "runs are steered", "on|off"},
      {"mutate", 0, 0, 1, "off: the corpus as it is, once", "on|off"}}},
    {"none", "no preemption: a thread runs until it waits, yields or ends", {}},
    {"random",
     "random walk: every thread that can run is equally likely at every step",
     {{"sticky", 0, 0, 30, "b: the current thread goes on with probability 1 - 2^-b"},
      {"delay", 0, 0, 1'000'000, "a preempted thread stays away for up to so many steps"}}},
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
    {"ql", "Q-learning: what was done often in a state becomes less likely there", {}},
    {"systematic-first", "all schedules, depth-first, until there is none left", {}, true},
    {"systematic-random", "all schedules, in random order, until there is none left", {}, true},
    {"preemption-bound",
     "all schedules with at most 0, 1, 2, … preemptions",
     {{"c", kNoBound, 0, kNoBound, "the largest bound"},
      {"choices", 0, 0, 1, "what is not about threads, if it is not usual", "cost|free"}},
     true},
    {"delay-bound",
     "all schedules with at most 0, 1, 2, … delays",
     {{"b", kNoBound, 0, kNoBound, "the largest bound"}},
     true},
    {"bytes",
     "a stream of bytes decides: --from FILE, or random ones",
     {{"end", 0, 0, 3, "what follows the stream", "zeros|loop|stop|prng"},
      {"length", 64, 0, 1'000'000, "bytes of a random stream"}},
     false,
     StrategyTakes::bytes},
    {"seed", "a pseudo-random number decides, every choice equally likely", {}},
    {"replay",
     "every run follows the one in --from FILE as far as it can",
     {},
     false,
     StrategyTakes::schedule},
    {"mutate",
     "changes logs of runs that showed something new; may begin with --from FILE",
     {},
     false,
     StrategyTakes::schedule},
    {"events", "goes on from where the callbacks of an event loop came in a new order", {}},
    {"hold", "one callback of an event loop as late as may be; each in turn", {}},
    {"directed", "reads see what the program compares them with; otherwise as pos", {}},
    {"", "", {}},
};

using Maker = Strategy* (*)(const StrategyValues&, const StrategyInput&);
constexpr Maker kMakers[] = {make_directed_portfolio,
                             make_rff,
                             make_none,
                             make_random,
                             make_round_robin,
                             make_pct,
                             make_pos,
                             make_urw,
                             make_surw,
                             make_delay,
                             make_ql,
                             make_systematic_first,
                             make_systematic_random,
                             make_preemption_bound,
                             make_delay_bound,
                             make_bytes,
                             make_seed,
                             make_replay,
                             make_mutate,
                             make_events,
                             make_hold,
                             make_directed_pos};
static_assert(sizeof(kMakers) / sizeof(kMakers[0]) + 1 == sizeof(kInfos) / sizeof(kInfos[0]));

}  // namespace

Strategy* make_strategy(std::string_view spec, const StrategyInput& input) {
  if (const std::optional<Claim> claim = read_claim(spec)) return make_claimed(*claim, input);
  const StrategySpec parsed = parse_strategy(spec, kInfos);
  if (parsed.problem != StrategySpec::Problem::none) return nullptr;
  return kMakers[parsed.info - kInfos](parsed.values, input);
}

const StrategyInfo* known_strategies() { return kInfos; }

}  // namespace jostle
