// SPDX-License-Identifier: Apache-2.0
#include "src/engine/reference/history_reference.h"

#include "src/engine/reference/question_loop.h"
#include "src/runtime/oracle/watchdog.h"
#include "src/strategy/strategies.h"

namespace jostle::engine {
namespace {

// Orders that are tried before a history counts as too large to judge, and to say what is nearest.
constexpr uint32_t kMostRuns = 20'000;
constexpr uint32_t kMostRunsForNearest = 4'000;
// Trees of this many nodes in all are kept.
constexpr size_t kMostNodes = 1 << 20;
constexpr size_t kMostTrees = 256;
// Orders that are called in one run, and runs that may be lost before no more are made.
constexpr uint32_t kOrdersPerRun = 100;
constexpr uint32_t kMostLostRuns = 200;
// What orders say is compared with runs in the first scenarios, and in every so many later.
constexpr uint64_t kFirstSamples = 4;
constexpr uint64_t kSampleEvery = 32;

}  // namespace

// ---- orders -------------------------------------------------------------------------------------

OrderTree::Answer HistoryReference::judge_by_orders() {
  known_now_ = &known_of(exchange_.history.scenario);
  const bool is_allowed = believes_orders_ && known_now_->allows_orders && runs_.rewinds() &&
                          exchange_.question != ReferenceExchange::how_long_is &&
                          !exchange_.is_exact &&
                          exchange_.history.returned() == exchange_.history.all();
  return is_allowed ? known_now_->orders->judge(exchange_.history) : OrderTree::Answer::unknown;
}

void HistoryReference::answer() {
  OrderTree::Answer answer = judge_by_orders();
  while (answer == OrderTree::Answer::order) {
    run_orders();
    if (exchange_.state.load() != ReferenceExchange::asked) return;
    answer = judge_by_orders();
  }
  if (answer == OrderTree::Answer::right && !known_now_->is_sample) {
    return answer_question(exchange_, Judgement::right);
  }
  const Judgement judgement = judge();
  if (answer == OrderTree::Answer::right && judgement == Judgement::wrong) believes_orders_ = false;
  answer_question(exchange_, judgement);
}

// One run: the order that is wanted now, and those that further questions want.
void HistoryReference::run_orders() {
  orders_left_ = kOrdersPerRun;
  calls_ = false;
  rt::g_order_session = this;
  decider_.prepare(no_plan_, exchange_.history, runs_.last().history);
  const bool done = runs_.run(decider_);
  rt::g_order_session = nullptr;
  if (!done) believes_orders_ = false;
  if (!calls_) return;
  // It waits for ever, fails, or does not end.
  note_order();
  if (++orders_failed_ > kMostLostRuns) believes_orders_ = false;
}

void HistoryReference::note_order() {
  calls_ = false;
  known_now_->orders->add(results_, returned_);
}

const EngineVector<uint8_t>* HistoryReference::next_order(int& is_new) {
  if (calls_) note_order();
  for (;;) {
    if (!rt::g_order_session || orders_left_ == 0 || !await_question(exchange_)) return nullptr;
    const OrderTree::Answer answer = judge_by_orders();
    if (answer == OrderTree::Answer::order) break;
    // By runs, and not in the middle of one.
    if (answer != OrderTree::Answer::right || known_now_->is_sample) return nullptr;
    answer_question(exchange_, Judgement::right);
  }
  rt::watch_run(~uint64_t{0} - ++orders_called_);
  is_new = orders_left_ == kOrdersPerRun || drawn_ != known_now_->scenario;
  drawn_ = known_now_->scenario;
  --orders_left_;
  calls_ = true;
  returned_ = 0;
  return &known_now_->orders->order();
}

void HistoryReference::returned(uint32_t operation, uint64_t result, bool is_address) {
  if (operation >= kMostOperations) return;
  // Which addresses are the same is known at the end only.
  if (is_address && result != 0) known_now_->allows_orders = false;
  results_[operation] = result;
  ++returned_;
}

// ---- runs ---------------------------------------------------------------------------------------

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
  for (size_t i = known_.size(); i-- > 0;) {
    if (known_[i].scenario == scenario) return known_[i];
  }
  size_t nodes = 0;
  for (const Known& known : known_) nodes += known.tree->size() + known.orders->size();
  if (nodes > kMostNodes || known_.size() == kMostTrees) forget();
  const uint64_t before = exchange_.scenarios.fetch_add(1);
  // With slack, runs are nothing else than orders.
  const bool is_sample =
      exchange_.history.slack == 0 && (before < kFirstSamples || before % kSampleEvery == 0);
  SerialTree* tree = spare_.empty() ? make_in_engine_memory<SerialTree>() : spare_.pop_back();
  OrderTree* orders =
      spare_orders_.empty() ? make_in_engine_memory<OrderTree>() : spare_orders_.pop_back();
  known_.push_back({scenario, tree, orders, 0, true, is_sample});
  return known_.back();
}

void HistoryReference::forget() {
  for (const Known& known : known_) {
    known.tree->clear();
    spare_.push_back(known.tree);
    known.orders->clear();
    spare_orders_.push_back(known.orders);
  }
  known_.clear();
}

}  // namespace jostle::engine
