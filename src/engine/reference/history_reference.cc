// SPDX-License-Identifier: Apache-2.0
#include "src/engine/reference/history_reference.h"

#include "src/strategy/strategies.h"

namespace jostle::engine {
namespace {

// Orders that are tried before a history counts as too large to judge, and to say what is nearest.
constexpr uint32_t kMostRuns = 20'000;
constexpr uint32_t kMostRunsForNearest = 4'000;
// Trees of this many nodes in all are kept.
constexpr size_t kMostNodes = 1 << 20;
constexpr size_t kMostTrees = 256;

}  // namespace

Judgement HistoryReference::judge() {
  Known& known = known_of(exchange_.history.scenario);
  if (exchange_.question == ReferenceExchange::how_long_is) return measure(known);
  for (;;) {
    const SerialTree::Answer answer = known.tree->judge(exchange_.history);
    if (answer.kind == SerialTree::Answer::right) return Judgement::right;
    if (answer.kind == SerialTree::Answer::wrong) break;
    if (known.tree->runs() >= kMostRuns || !run(known)) return Judgement::unknown;
  }
  explain(known);
  return Judgement::wrong;
}

// One order will do.
Judgement HistoryReference::measure(Known& known) {
  if (known.tree->runs() == 0 &&
      known.tree->judge(exchange_.history).kind == SerialTree::Answer::run && !run(known)) {
    return Judgement::unknown;
  }
  exchange_.longest = known.longest;
  return Judgement::right;
}

// The order that is nearest to what was seen.
void HistoryReference::explain(Known& known) {
  SerialTree& tree = *known.tree;
  HistoryVerdict& verdict = exchange_.verdict;
  verdict.orders = verdict.nearest_count = 0;
  verdict.differs = verdict.returns_there = 0;
  if (exchange_.question != ReferenceExchange::and_why) return;
  SerialTree::Answer answer;
  while ((answer = tree.nearest(exchange_.history, kMostRunsForNearest)).kind ==
         SerialTree::Answer::run) {
    if (!run(known)) return;
  }
  if (answer.kind != SerialTree::Answer::right) return;
  verdict.differs = tree.differing();
  runs_.config().record = 1;
  const bool done = run(known);
  runs_.config().record = 0;
  if (!done) return;
  const channel::RunRecord& shown = runs_.last();
  const History& history = shown.history;
  verdict.orders = tree.runs() - 1;  // one of them twice, for its texts
  verdict.returns_there = history.returned();
  for (uint32_t at = 1; at <= history.position; ++at) {
    for (uint32_t i = 0; i < history.count; ++i) {
      if (history.operations[i].call_at != at) continue;
      verdict.there[i] = shown.operation_texts[i];
      verdict.nearest[verdict.nearest_count++] = i;
    }
  }
}

// As the tree wants it. False: the program does not do the same twice, or does not end.
bool HistoryReference::run(Known& known) {
  decider_.prepare(known.tree->plan(), exchange_.history, runs_.last().history);
  if (!runs_.run(decider_) || decider_.has_failed()) return false;
  History& history = runs_.last().history;
  if (history.scenario != exchange_.history.scenario || history.count != exchange_.history.count) {
    return false;
  }
  history.number_addresses();
  for (uint32_t i = 0; i < history.count; ++i) {
    const HistoryOperation& one = history.operations[i];
    if (one.return_at != 0 && one.events > known.longest) known.longest = one.events;
  }
  const channel::Failure& end = runs_.last().end;
  if (!shows_results(end.outcome)) return false;
  const bool ended = (end.outcome == channel::Outcome::exited && end.code == 0) ||
                     end.outcome == channel::Outcome::deadlock ||
                     end.outcome == channel::Outcome::livelock;
  return known.tree->add(decider_.run(), history, ended);
}

HistoryReference::Known& HistoryReference::known_of(uint64_t scenario) {
  size_t nodes = 0;
  for (Known& known : known_) {
    if (known.scenario == scenario) return known;
    nodes += known.tree->size();
  }
  if (nodes > kMostNodes || known_.size() == kMostTrees) forget();
  exchange_.scenarios.fetch_add(1);
  SerialTree* tree = spare_.empty() ? make_in_engine_memory<SerialTree>() : spare_.pop_back();
  known_.push_back({scenario, tree, 0});
  return known_.back();
}

void HistoryReference::forget() {
  for (const Known& known : known_) {
    known.tree->clear();
    spare_.push_back(known.tree);
  }
  known_.clear();
}

}  // namespace jostle::engine
