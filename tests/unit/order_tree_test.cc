// SPDX-License-Identifier: Apache-2.0
// Whether an order of calls by one thread explains a history: against all orders of its operations.
#include "src/strategy/serial/order_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

#include "src/base/rng.h"

namespace jostle {
namespace {

// push(n) of a queue for n > 0, pop() for 0: 0 when it is empty.
uint64_t call(std::deque<uint64_t>& queue, uint64_t pushed) {
  if (pushed != 0) {
    queue.push_back(pushed);
    return 0;
  }
  if (queue.empty()) return 0;
  const uint64_t value = queue.front();
  queue.pop_front();
  return value;
}

struct Scenario {
  std::vector<uint64_t> pushed;
  History history = {};
};

// Two threads; every operation overlaps what the dice want.
Scenario random_scenario(Rng& rng) {
  Scenario scenario;
  const auto count = static_cast<uint32_t>(2 + rng.below(4));
  History& history = scenario.history;
  history.count = count;
  history.scenario = rng.next();
  for (uint32_t i = 0; i < count; ++i) {
    scenario.pushed.push_back(rng.below(2) ? i + 1 : 0);
    HistoryOperation& one = history.operations[i];
    one.slot = 1 + i % 2;
    one.call_at = 1 + i;
    one.return_at = 20 + static_cast<uint32_t>(rng.below(100));
    one.result = rng.below(3) == 0 ? 0 : rng.below(count + 1);
    if (scenario.pushed[i] != 0) one.result = 0;
    for (uint32_t k = 0; k < i; ++k) {
      if (k % 2 == i % 2 || rng.below(3) == 0) one.before |= uint64_t{1} << k;
    }
  }
  return scenario;
}

bool keeps_order(const History& history, const std::vector<uint32_t>& order) {
  uint64_t done = 0;
  for (const uint32_t operation : order) {
    if ((history.operations[operation].before & ~done) != 0) return false;
    done |= uint64_t{1} << operation;
  }
  return true;
}

bool is_explained(const Scenario& scenario) {
  std::vector<uint32_t> order(scenario.history.count);
  std::iota(order.begin(), order.end(), 0);
  do {
    if (!keeps_order(scenario.history, order)) continue;
    std::deque<uint64_t> queue;
    if (std::ranges::all_of(order, [&](uint32_t operation) {
          return call(queue, scenario.pushed[operation]) ==
                 scenario.history.operations[operation].result;
        })) {
      return true;
    }
  } while (std::ranges::next_permutation(order).found);
  return false;
}

OrderTree::Answer judge(OrderTree& tree, const Scenario& scenario, int& orders) {
  OrderTree::Answer answer;
  while ((answer = tree.judge(scenario.history)) == OrderTree::Answer::order) {
    std::deque<uint64_t> queue;
    uint64_t results[kMostOperations];
    for (const uint8_t operation : tree.order()) {
      results[operation] = call(queue, scenario.pushed[operation]);
    }
    tree.add(results, scenario.history.count);
    ++orders;
  }
  return answer;
}

TEST(OrderTree, FindsAnOrderWhereThereIsOne) {
  Rng rng(7);
  int right = 0, wrong = 0, orders = 0;
  for (int i = 0; i < 2000; ++i) {
    const Scenario scenario = random_scenario(rng);
    OrderTree tree;
    const bool is_right = judge(tree, scenario, orders) == OrderTree::Answer::right;
    EXPECT_EQ(is_right, is_explained(scenario));
    ++(is_right ? right : wrong);
  }
  EXPECT_GT(right, 200);
  EXPECT_GT(wrong, 200);
}

TEST(OrderTree, WhatWasCalledBeforeIsNotCalledAgain) {
  Rng rng(3);
  const Scenario scenario = random_scenario(rng);
  OrderTree tree;
  int orders = 0;
  const OrderTree::Answer first = judge(tree, scenario, orders);
  const int needed = orders;
  EXPECT_EQ(judge(tree, scenario, orders), first);
  EXPECT_EQ(orders, needed);
}

TEST(OrderTree, AnOrderThatDoesNotReturnExplainsNothing) {
  Scenario scenario;
  scenario.pushed = {0, 5};
  scenario.history.count = 2;
  scenario.history.operations[0].return_at = 4;
  scenario.history.operations[0].result = 5;
  scenario.history.operations[1].return_at = 3;
  OrderTree tree;
  ASSERT_EQ(tree.judge(scenario.history), OrderTree::Answer::order);
  EXPECT_EQ(tree.order()[0], 1) << "what returned first is tried first";
  tree.add(nullptr, 0);  // it waits for ever
  ASSERT_EQ(tree.judge(scenario.history), OrderTree::Answer::order);
  EXPECT_EQ(tree.order()[0], 0);
  tree.add(nullptr, 0);
  EXPECT_EQ(tree.judge(scenario.history), OrderTree::Answer::unknown);
}

}  // namespace
}  // namespace jostle
