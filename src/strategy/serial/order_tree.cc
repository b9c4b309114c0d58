// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/serial/order_tree.h"

#include "src/strategy/serial/serial_tree.h"

namespace jostle {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;

}  // namespace

void OrderTree::clear() {
  nodes_.clear();
  order_.clear();
  question_ = 0;
}

uint32_t OrderTree::child_of(uint32_t node, uint32_t operation) const {
  uint32_t child = nodes_[node].child;
  while (child != 0 && nodes_[child].operation != operation) child = nodes_[child].sibling;
  return child;
}

uint32_t OrderTree::next(const History& history, uint64_t called, uint64_t tried, size_t place) {
  uint32_t first = kNobody;
  for (uint32_t i = 0; i < history.count; ++i) {
    if (((called | tried) >> i & 1) != 0 || !may_come_next(history, i, called, place)) continue;
    const uint32_t at = history.operations[i].return_at;
    if (first == kNobody || at < history.operations[first].return_at) first = i;
  }
  return first;
}

// Whatever they return: the rest of an order that has come so far.
void OrderTree::complete(const History& history, uint64_t called) {
  while (order_.size() < history.count) {
    const uint32_t operation = next(history, called, 0, order_.size());
    if (operation == kNobody) return;
    order_.push_back(static_cast<uint8_t>(operation));
    called |= uint64_t{1} << operation;
  }
}

OrderTree::Found OrderTree::search(uint32_t node, const History& history, uint64_t called) {
  if (called == history.all()) {
    if (history.slack == 0) return Found::way;
    order_of_slack_.clear();
    for (const uint8_t operation : order_) order_of_slack_.push_back(operation);
    return is_near_an_order(history, order_of_slack_) ? Found::way : Found::none;
  }
  uint64_t tried = 0;
  for (;;) {
    const uint32_t operation = next(history, called, tried, order_.size());
    if (operation == kNobody) return Found::none;
    tried |= uint64_t{1} << operation;
    order_.push_back(static_cast<uint8_t>(operation));
    const uint64_t then = called | uint64_t{1} << operation;
    const uint32_t child = child_of(node, operation);
    if (child == 0) {
      complete(history, then);
      return Found::order;
    }
    if (nodes_[child].returns && nodes_[child].result == history.operations[operation].result) {
      const Found found = search(child, history, then);
      if (found != Found::none) return found;
    }
    order_.pop_back();
  }
}

OrderTree::Answer OrderTree::judge(const History& history) {
  if (nodes_.empty()) nodes_.push_back({});
  if (const uint64_t question = history.key(); question != question_) {
    question_ = question;
    asked_ = 0;
  }
  order_.clear();
  const Found found = search(0, history, 0);
  if (found == Found::way) return Answer::right;
  if (found == Found::none || order_.size() < history.count) return Answer::unknown;
  const uint32_t most = history.slack == 0 ? kMostPerQuestion : kMostWithSlack;
  return ++asked_ > most ? Answer::unknown : Answer::order;
}

void OrderTree::add(const uint64_t* results, uint32_t count) {
  uint32_t node = 0;
  for (uint32_t i = 0; i < order_.size() && i <= count; ++i) {
    const uint32_t operation = order_[i];
    uint32_t child = child_of(node, operation);
    if (child == 0) {
      const uint64_t result = i < count ? results[operation] : 0;
      child = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({0, nodes_[node].child, operation, i < count, result});
      nodes_[node].child = child;
    }
    node = child;
  }
}

}  // namespace jostle
