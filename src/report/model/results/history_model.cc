// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/results/history_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

std::string call_text(const OperationText& text, uint32_t number) {
  const std::string call = escape(bounded(text.call));
  return call.empty() ? fmt::format("operation {}", number + 1) : call;
}

// "T1": the thread that has the operations of the slot, by one that it came to.
std::string thread_label(const History& history, uint32_t count, uint32_t slot) {
  if (slot == 0) return "main";
  for (uint32_t i = 0; i < count; ++i) {
    const HistoryOperation& one = history.operations[i];
    if (one.slot == slot && one.call_at != 0) return fmt::format("T{}", one.thread);
  }
  return "a thread";
}

// Which test of progress failed, and what it stopped.
void add_test(const History& history, HistoryModel& model) {
  const Standstill& test = history.standstill;
  if (test.operation >= model.operations.size()) return;
  model.test.promise = test.promise;
  model.test.operation = test.operation;
  model.test.after = test.after;
  model.test.turn = test.turn;
  model.test.partner_turn = test.partner_turn;
  if (test.promise == Promise::wait_free) model.test.bound = test.bound;
  for (HistoryModel::Operation& one : model.operations) {
    const bool is_partner = test.partner != 0 && one.column == test.partner;
    if (is_partner) model.test.partner = one.thread;
    const bool goes_on = is_partner || one.column == model.operations[test.operation].column;
    one.was_stopped = one.called && !one.returned && !goes_on;
    one.gets_nowhere = one.called && !one.returned && goes_on;
  }
}

}  // namespace

std::string_view name(Promise promise) {
  switch (promise) {
    case Promise::none:
      return "none";
    case Promise::obstruction_free:
      return "obstruction_free";
    case Promise::lock_free:
      return "lock_free";
    case Promise::wait_free:
      return "wait_free";
  }
  return "";
}

HistoryModel history_of(const channel::RunRecord& record) {
  HistoryModel model;
  if (record.end.outcome != channel::Outcome::history) return model;
  const History& history = record.history;
  const HistoryVerdict& verdict = record.history_verdict;
  const uint32_t count = std::min(history.count, kMostOperations);
  for (uint32_t i = 0; i < count; ++i) {
    const HistoryOperation& one = history.operations[i];
    HistoryModel::Operation operation;
    operation.called = one.call_at != 0;
    operation.thread = thread_label(history, count, one.slot);
    operation.call = call_text(record.operation_texts[i], i);
    operation.result = escape(bounded(record.operation_texts[i].result));
    operation.returned = one.return_at != 0;
    operation.column = one.slot;
    if (record.end.code == 0) {
      operation.differs = (verdict.differs >> i & 1) != 0;
      operation.result_there = escape(bounded(verdict.there[i].result));
    }
    model.operations.push_back(std::move(operation));
  }
  // In the order of calls: what comes before has its row already.
  std::vector<uint32_t> order(count);
  for (uint32_t i = 0; i < count; ++i) order[i] = i;
  const auto called_at = [&](uint32_t i) {
    const uint32_t at = history.operations[i].call_at;
    return at != 0 ? at : UINT32_MAX;
  };
  std::ranges::stable_sort(order, {}, called_at);
  for (const uint32_t i : order) {
    for (uint32_t k = 0; k < count; ++k) {
      const bool is_before = (history.operations[i].before >> k & 1) != 0;
      const bool same_thread = history.operations[k].slot == history.operations[i].slot && k < i;
      if (!is_before && !same_thread) continue;
      model.operations[i].row = std::max(model.operations[i].row, model.operations[k].row + 1);
    }
  }
  if (record.end.code != 0) {
    add_test(history, model);
    return model;
  }
  model.orders = verdict.orders;
  model.slack = history.slack;
  for (uint32_t i = 0; i < std::min(verdict.nearest_count, kMostOperations); ++i) {
    if (verdict.nearest[i] < count) model.nearest.push_back(verdict.nearest[i]);
  }
  for (const uint32_t i : model.nearest) {
    model.operations[i].returns_there = verdict.returns_there >> i & 1;
  }
  return model;
}

std::string text_of(const HistoryModel::Operation& operation) {
  if (!operation.called) return operation.call + " is not called";
  if (operation.was_stopped) return operation.call + " is stopped";
  if (operation.gets_nowhere) return operation.call + " does not return";
  if (!operation.returned) return operation.call + " waits for ever";
  if (operation.result.empty()) return operation.call;
  const bool throws = operation.result.starts_with("throws ");
  return operation.call + (throws ? " " : " = ") + operation.result;
}

}  // namespace jostle::report
