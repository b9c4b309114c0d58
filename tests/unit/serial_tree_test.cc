// SPDX-License-Identifier: Apache-2.0
// Whether a history is right, by the runs of a small machine: against all orders of its operations.
#include "src/strategy/serial/serial_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <vector>

#include "src/base/rng.h"

namespace jostle {
namespace {

// An operation of a queue of numbers: push(value), or pop.
struct Call {
  uint32_t slot;
  std::optional<int> pushed;
};

uint64_t apply(std::deque<int>& queue, const Call& call) {
  if (call.pushed) {
    queue.push_back(*call.pushed);
    return 0;
  }
  if (queue.empty()) return 1000;
  const int value = queue.front();
  queue.pop_front();
  return static_cast<uint64_t>(value);
}

HistoryOperation operation(uint64_t result, uint64_t before, uint32_t slot, uint32_t call_at,
                           uint32_t return_at) {
  HistoryOperation one = {};
  one.result = result;
  one.before = before;
  one.slot = slot;
  one.call_at = call_at;
  one.return_at = return_at;
  return one;
}

// Runs the calls one after the other, as the tree wants it.
void run_serially(const std::vector<Call>& calls, SerialTree& tree, const History& wanted) {
  SerialRun run;
  History now = {};
  now.count = static_cast<uint32_t>(calls.size());
  std::deque<int> queue;
  uint32_t slots = 0;
  for (const Call& call : calls) slots = std::max(slots, call.slot);
  std::vector<size_t> next(slots + 1, 0);
  const auto next_of = [&](uint32_t slot) -> std::optional<uint32_t> {
    for (size_t i = next[slot]; i < calls.size(); ++i) {
      if (calls[i].slot == slot) return static_cast<uint32_t>(i);
    }
    return std::nullopt;
  };
  for (;;) {
    std::vector<uint32_t> who;
    for (uint32_t slot = 1; slot <= slots; ++slot) {
      if (next_of(slot)) who.push_back(slot);
    }
    if (who.empty()) break;
    uint32_t taken = 0;
    if (who.size() > 1) {
      SerialDecision decision = {static_cast<uint32_t>(run.candidates.size()),
                                 static_cast<uint32_t>(who.size()), 0, now.position};
      for (const uint32_t slot : who) run.candidates.push_back({slot, *next_of(slot), 0});
      const size_t number = run.decisions.size();
      taken = number < tree.plan().size() ? tree.plan()[number]
                                          : suggested(wanted, &run.candidates[decision.first],
                                                      decision.count, now.returned());
      decision.taken = taken;
      run.decisions.push_back(decision);
    }
    const uint32_t operation = *next_of(who[taken]);
    next[who[taken]] = operation + 1;
    now.operations[operation].call_at = ++now.position;
    now.operations[operation].result = apply(queue, calls[operation]);
    now.operations[operation].return_at = ++now.position;
  }
  ASSERT_TRUE(tree.add(run, now, true));
}

bool is_right(const std::vector<Call>& calls, const History& history, SerialTree& tree) {
  for (int runs = 0; runs < 10'000; ++runs) {
    const SerialTree::Answer answer = tree.judge(history);
    if (answer.kind != SerialTree::Answer::run) return answer.kind == SerialTree::Answer::right;
    run_serially(calls, tree, history);
  }
  ADD_FAILURE() << "the tree always wants one more run";
  return false;
}

// Every order of the operations, by hand.
bool is_right_by_all_orders(const std::vector<Call>& calls, const History& history) {
  std::vector<uint32_t> order(calls.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    uint64_t returned = 0;
    std::deque<int> queue;
    bool fits = true;
    for (const uint32_t i : order) {
      fits = fits && (history.operations[i].before & ~returned) == 0 &&
             apply(queue, calls[i]) == history.operations[i].result;
      returned |= uint64_t{1} << i;
    }
    if (fits) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

// A history with calls and returns drawn at random, and results of some order, perhaps changed.
History draw_history(const std::vector<Call>& calls, Rng& rng) {
  History history = {};
  history.count = static_cast<uint32_t>(calls.size());
  uint64_t done = 0;
  std::deque<int> queue;
  while (done != history.all()) {
    const auto i = static_cast<uint32_t>(rng.below(calls.size()));
    HistoryOperation& one = history.operations[i];
    one.slot = calls[i].slot;
    const uint64_t bit = uint64_t{1} << i;
    if (one.call_at == 0) {
      bool comes_next = true;
      for (uint32_t k = 0; k < i; ++k) {
        comes_next &= calls[k].slot != calls[i].slot || (done >> k & 1) != 0;
      }
      if (!comes_next) continue;
      one.before = history.returned();
      one.call_at = ++history.position;
      one.result = apply(queue, calls[i]);
    } else if (one.return_at == 0) {
      one.return_at = ++history.position;
      done |= bit;
    }
  }
  if (rng.below(2) == 0) {
    const auto i = static_cast<uint32_t>(rng.below(calls.size()));
    if (!calls[i].pushed) history.operations[i].result = rng.below(2) == 0 ? 1000 : rng.below(3);
  }
  return history;
}

TEST(SerialTree, SaysWhatAllOrdersSay) {
  Rng rng(7);
  int right = 0, wrong = 0;
  for (int scenario = 0; scenario < 200; ++scenario) {
    std::vector<Call> calls;
    const uint64_t count = 2 + rng.below(5);
    for (uint64_t i = 0; i < count; ++i) {
      Call call{1 + static_cast<uint32_t>(rng.below(3)), std::nullopt};
      if (rng.below(2) == 0) call.pushed = static_cast<int>(rng.below(3));
      calls.push_back(call);
    }
    SerialTree tree;
    for (int n = 0; n < 20; ++n) {
      const History history = draw_history(calls, rng);
      const bool expected = is_right_by_all_orders(calls, history);
      ASSERT_EQ(is_right(calls, history, tree), expected) << "scenario " << scenario;
      ++(expected ? right : wrong);
    }
  }
  EXPECT_GT(right, 500);
  EXPECT_GT(wrong, 100);
}

TEST(SerialTree, FindsTheNearestOrder) {
  const std::vector<Call> calls = {{1, 1}, {2, std::nullopt}, {2, std::nullopt}};
  History history = {};
  history.count = 3;
  history.position = 6;
  // push(1) is over when both pops begin, and both have it.
  history.operations[0] = operation(0, 0, 1, 1, 2);
  history.operations[1] = operation(1, 1, 2, 3, 4);
  history.operations[2] = operation(1, 3, 2, 5, 6);
  SerialTree tree;
  EXPECT_FALSE(is_right(calls, history, tree));
  while (tree.nearest(history, 100).kind == SerialTree::Answer::run) {
    run_serially(calls, tree, history);
  }
  EXPECT_EQ(tree.differing(), uint64_t{1} << 2);
}

TEST(SerialTree, NoticesAProgramThatDiffers) {
  const std::vector<Call> calls = {{1, 1}, {2, std::nullopt}};
  History history = {};
  history.count = 2;
  SerialTree tree;
  run_serially(calls, tree, history);
  SerialRun run;
  History other = {};
  other.count = 2;
  EXPECT_FALSE(tree.add(run, other, true));
}

TEST(OperationHistory, NumbersAddressesByOperations) {
  History history = {};
  history.count = 4;
  const uint64_t results[] = {0x1000, 0, 0x2000, 0x1000};
  for (uint32_t i = 0; i < 4; ++i) {
    history.operations[i].result = results[i];
    history.operations[i].is_address = 1;
    history.operations[i].return_at = i + 1;
  }
  history.number_addresses();
  EXPECT_EQ(history.operations[0].result, history.operations[3].result);
  EXPECT_NE(history.operations[0].result, history.operations[2].result);
  EXPECT_EQ(history.operations[1].result, 0u);
  const uint64_t key = history.key();
  history.operations[2].return_at = 0;
  EXPECT_NE(history.key(), key);
}

// Against all orders that keep to `before`.
TEST(SerialTree, AnOrderWithSlackIsNearOneWithout) {
  Rng rng(7);
  uint32_t near = 0;
  for (int round = 0; round < 3000; ++round) {
    History history = {};
    history.count = 2 + static_cast<uint32_t>(rng.below(5));
    history.slack = 1 + static_cast<uint32_t>(rng.below(3));
    // What returned before what: intervals.
    int from[8], to[8];
    for (uint32_t i = 0; i < history.count; ++i) {
      from[i] = static_cast<int>(rng.below(12));
      to[i] = from[i] + static_cast<int>(rng.below(5));
    }
    for (uint32_t i = 0; i < history.count; ++i) {
      for (uint32_t k = 0; k < history.count; ++k) {
        if (to[k] < from[i]) history.operations[i].before |= uint64_t{1} << k;
      }
    }
    std::vector<uint32_t> order(history.count), any(history.count);
    std::iota(order.begin(), order.end(), 0);
    std::iota(any.begin(), any.end(), 0);
    for (uint32_t i = history.count - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
    bool expected = false;
    do {
      uint64_t placed = 0;
      bool fits = true;
      for (uint32_t place = 0; place < history.count; ++place) {
        const auto here = std::find(order.begin(), order.end(), any[place]) - order.begin();
        fits = fits && std::abs(here - static_cast<int64_t>(place)) <= history.slack &&
               (history.operations[any[place]].before & ~placed) == 0;
        placed |= uint64_t{1} << any[place];
      }
      expected = expected || fits;
    } while (!expected && std::next_permutation(any.begin(), any.end()));
    EngineVector<uint32_t> asked;
    for (const uint32_t operation : order) asked.push_back(operation);
    ASSERT_EQ(is_near_an_order(history, asked), expected) << "round " << round;
    near += expected;
  }
  EXPECT_GT(near, 300u);
  EXPECT_LT(near, 2700u);
}

}  // namespace
}  // namespace jostle
