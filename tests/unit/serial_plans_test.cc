// SPDX-License-Identifier: Apache-2.0
// All sequences of decisions, each once; and what differs between two results.
#include "src/strategy/serial/serial_plans.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "src/schedule/history/result_of_run.h"

namespace jostle {
namespace {

// Decisions of a machine with as many alternatives as are left of `n` things: n! runs.
void run(const EngineVector<uint32_t>& plan, uint32_t n, std::vector<uint32_t>& order,
         EngineVector<SerialPlans::Decision>& decisions) {
  std::vector<uint32_t> left;
  for (uint32_t i = 0; i < n; ++i) left.push_back(i);
  while (!left.empty()) {
    const size_t number = decisions.size();
    const uint32_t taken = number < plan.size() ? plan[number] : 0;
    decisions.push_back({taken, static_cast<uint32_t>(left.size())});
    order.push_back(left[taken]);
    left.erase(left.begin() + taken);
  }
}

TEST(SerialPlans, EveryOrderOnce) {
  SerialPlans plans;
  std::set<std::vector<uint32_t>> seen;
  uint32_t runs = 0;
  while (!plans.finished()) {
    std::vector<uint32_t> order;
    EngineVector<SerialPlans::Decision> decisions;
    run(plans.plan(), 5, order, decisions);
    ASSERT_TRUE(plans.add(decisions));
    seen.insert(order);
    ++runs;
  }
  EXPECT_EQ(runs, 120u);
  EXPECT_EQ(seen.size(), 120u);
}

TEST(SerialPlans, NoDecisionIsOneRun) {
  SerialPlans plans;
  EXPECT_FALSE(plans.finished());
  EXPECT_TRUE(plans.add({}));
  EXPECT_TRUE(plans.finished());
}

TEST(SerialPlans, NoticesThatARunDoesSomethingElse) {
  SerialPlans plans;
  std::vector<uint32_t> order;
  EngineVector<SerialPlans::Decision> decisions;
  run(plans.plan(), 3, order, decisions);
  ASSERT_TRUE(plans.add(decisions));
  EngineVector<SerialPlans::Decision> other;
  other.push_back({0, 2});  // there were three
  other.push_back({1, 2});
  EXPECT_FALSE(plans.add(other));
  EXPECT_FALSE(plans.add({}));
  plans.restart();
  EXPECT_TRUE(plans.plan().empty());
  EXPECT_TRUE(plans.add(other));
}

std::unique_ptr<ResultOfRun> result(std::vector<ResultWord> words) {
  auto made = std::make_unique<ResultOfRun>();
  *made = {};
  for (const ResultWord& word : words) made->words[made->word_count++] = word;
  return made;
}

TEST(ResultOfRun, WordsThatOnlyOneHasSayNothing) {
  const auto a = result({{1, 10, 0x10, 1}, {3, 30, 0x30, 1}, {5, 50, 0x50, 1}});
  const auto b = result({{2, 20, 0x20, 1}, {3, 31, 0x98, 1}, {5, 50, 0x50, 1}, {6, 60, 0x60, 1}});
  const ResultDifference found = difference(*a, *b);
  EXPECT_EQ(found.words, 1u);
  EXPECT_EQ(found.first[0].address, 0x30u);
  EXPECT_EQ(found.first[0].here, 30u);
  EXPECT_EQ(found.first[0].there, 31u);
  EXPECT_FALSE(found.none());
  EXPECT_TRUE(difference(*a, *a).none());
  EXPECT_TRUE(difference(*a, *result({})).none());
}

TEST(ResultOfRun, OnlyBytesThatBothHaveWrittenAreCompared) {
  const ResultWord lower = {1, 0x00000002, 0x10, true, false, 0x0f};
  const ResultWord all = {1, 0x7777'00000002, 0x10, true, false, 0xff};
  const ResultWord other = {1, 0x7777'00000003, 0x10, true, false, 0xff};
  const ResultWord name = {1, 0x1234'56789abc, 0x10, true, true, 0xff};
  EXPECT_FALSE(lower.differs(all));
  EXPECT_TRUE(lower.differs(other));
  EXPECT_TRUE(all.differs(other));
  EXPECT_FALSE(lower.differs(name));
  EXPECT_TRUE(all.differs(name));
}

TEST(ResultOfRun, WhatAReaderSeesCountsMost) {
  const auto a = result({{1, 10, 0, 1}});
  const auto many_words = result({{1, 11, 0, 1}});
  auto other_output = result({{1, 10, 0, 1}});
  other_output->output = 7;
  EXPECT_TRUE(difference(*a, *many_words).is_smaller_than(difference(*a, *other_output)));
  EXPECT_NE(a->key(), other_output->key());
}

}  // namespace
}  // namespace jostle
