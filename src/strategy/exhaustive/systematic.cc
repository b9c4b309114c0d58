// SPDX-License-Identifier: Apache-2.0
// Systematic exploration (threadfuzzer-net, section 4.1): every schedule once, none twice, until
// there is none left. `systematic-first` takes the first unexplored schedule of the graph,
// depth-first; `systematic-random` is a random walk that takes no path twice. See
// scheduling_graph.h for where we differ.
#include "src/strategy/exhaustive/exhaustive.h"
#include "src/strategy/strategies.h"

namespace jostle {

Strategy* make_systematic_first(const StrategyValues&, const StrategyInput&) {
  return make_in_engine_memory<ExhaustiveSearch>(SchedulingGraph::Search::first);
}

Strategy* make_systematic_random(const StrategyValues&, const StrategyInput&) {
  return make_in_engine_memory<ExhaustiveSearch>(SchedulingGraph::Search::random);
}

}  // namespace jostle
