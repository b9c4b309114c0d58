// SPDX-License-Identifier: Apache-2.0
// Systematic exploration (threadfuzzer-net, section 4.1): every schedule once, none twice, until
// there is none left. `systematic-first` takes the first unexplored schedule of the graph,
// depth-first; `systematic-random` is a random walk that takes no path twice. See
// scheduling_graph.h for where we differ.
#include "src/strategy/exhaustive/exhaustive.h"
#include "src/strategy/strategies.h"

namespace jostle {

namespace {

template <SchedulingGraph::Search order>
Strategy* all_in(const StrategyValues&, const StrategyInput&) {
  return make_in_engine_memory<ExhaustiveSearch>(order);
}

}  // namespace

JOSTLE_STRATEGY(kSystematicFirst) = {"systematic-first",
                                     "all schedules, depth-first, until there is none left",
                                     {},
                                     all_in<SchedulingGraph::Search::first>,
                                     true};

JOSTLE_STRATEGY(kSystematicRandom) = {"systematic-random",
                                      "all schedules, in random order, until there is none left",
                                      {},
                                      all_in<SchedulingGraph::Search::random>,
                                      true};

}  // namespace jostle
