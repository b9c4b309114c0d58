// SPDX-License-Identifier: Apache-2.0
// The minimiser's algorithm on model programs: no target process, no threads.
#include "src/minimize/algorithm/minimizer.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/model_program.h"

namespace jostle {
namespace {

using Verdict = Minimizer::Verdict;

// Runs the minimiser until it has no candidates left; `fails` judges the order of a run.
struct Minimizing {
  Model& model;
  std::function<bool(const std::string&)> fails;
  uint64_t runs = 0;

  // The log of the order as the runtime would have kept it.
  static void store(const std::string& order, size_t threads, channel::Schedule& schedule,
                    const std::vector<size_t>& lengths) {
    schedule.segment_count = schedule.choice_count = 0;
    schedule.thread_count = static_cast<uint32_t>(threads);
    std::vector<uint64_t> steps(threads);
    for (size_t i = 0; i < order.size() && order[i] != '!'; ++i) {
      const auto thread = static_cast<uint32_t>(order[i] - '0');
      ++steps[thread];
      if (i + 1 < order.size() && order[i + 1] == order[i]) continue;
      const bool over = steps[thread] == lengths[thread] || i + 1 == order.size();
      schedule.segments[schedule.segment_count++] = {
          thread,
          OpKind::write,
          static_cast<uint8_t>(over ? channel::kForced : channel::kPreempted),
          0,
          steps[thread],
          0};
    }
  }

  ScheduleCost minimize(const std::string& order, const std::vector<size_t>& lengths) {
    channel::RunRecord& run = record();
    store(order, lengths.size(), run.schedule, lengths);
    Minimizer minimizer(run.schedule);
    while (minimizer.next_candidate()) {
      const std::string now = model.run(minimizer, ++runs);
      store(now, lengths.size(), run.schedule, lengths);
      run.events = now.size();
      run.log_overflow = 0;
      smallest = minimizer.judge(run, fails(now) ? Verdict::same_failure : Verdict::passes)
                     ? now
                     : smallest;
    }
    EXPECT_TRUE(minimizer.has_reproduced());
    return minimizer.cost();
  }

  std::string smallest = {};
};

std::vector<Operation> some_writes(size_t count) {
  return std::vector<Operation>(count, writes(0x1000));
}

TEST(Minimizer, OneSwitchInTheMiddleIsOnePreemption) {
  Model model({some_writes(6), some_writes(6)});
  // Fails when thread 1 takes a step between the third and the fourth of thread 0.
  Minimizing test{model, [](const std::string& order) {
                    size_t zeros = 0;
                    for (const char c : order) {
                      if (c == '1' && zeros == 3) return true;
                      zeros += c == '0';
                    }
                    return false;
                  }};
  const ScheduleCost cost = test.minimize("010101010101", {6, 6});
  EXPECT_EQ(cost.preemptions, 1u);
  EXPECT_EQ(cost.switches, 3u);
  EXPECT_EQ(test.smallest, "000111111000");
}

TEST(Minimizer, NoPreemptionWhenOrderIsEnough) {
  Model model({some_writes(4), some_writes(4), some_writes(4)});
  // Fails when thread 2 ends before thread 1 does.
  Minimizing test{model, [](const std::string& order) {
                    return order.find_last_of('2') < order.find_last_of('1');
                  }};
  const ScheduleCost cost = test.minimize("021021021021", {4, 4, 4});
  EXPECT_EQ(cost.preemptions, 0u);
}

TEST(Minimizer, KeepsBothOfTwoPreemptionsThatMatter) {
  Model model({some_writes(8), some_writes(8)});
  // 1 between 0's second and third step, and again between its fifth and sixth.
  Minimizing test{model, [](const std::string& order) {
                    size_t zeros = 0;
                    bool first = false, second = false;
                    for (const char c : order) {
                      first |= c == '1' && zeros == 2;
                      second |= c == '1' && zeros == 5;
                      zeros += c == '0';
                    }
                    return first && second;
                  }};
  const ScheduleCost cost = test.minimize("0101010101010101", {8, 8});
  EXPECT_EQ(cost.preemptions, 3u);  // away from 0, back from 1, away from 0 again
  EXPECT_EQ(cost.switches, 5u);
}

TEST(Minimizer, OnlyTheLastPlaceThatMattersIsKept) {
  Model model({some_writes(20), some_writes(2)});
  // Anywhere behind the first and before the fifteenth step will do.
  Minimizing test{
      model, [](const std::string& order) { return order[0] == '0' && order.rfind('1') < 15; }};
  const ScheduleCost cost = test.minimize("01010000000000000000", {20, 2});
  EXPECT_EQ(cost.preemptions, 1u);
  // Moved as far as it goes: one further and the run passes.
  EXPECT_EQ(test.smallest.rfind('1'), 14u);
}

TEST(Minimizer, SaysWhenTheFailureDoesNotShow) {
  Model model({some_writes(4), some_writes(4)});
  channel::RunRecord& run = record();
  Minimizing::store("01010101", 2, run.schedule, {4, 4});
  Minimizer minimizer(run.schedule);
  uint64_t runs = 0;
  while (minimizer.next_candidate()) {
    model.run(minimizer, ++runs);
    minimizer.judge(run, Verdict::passes);
  }
  EXPECT_FALSE(minimizer.has_reproduced());
  EXPECT_LT(runs, 20u);
}

TEST(Minimizer, NeighboursAreSmallChangesOfTheSmallest) {
  Model model({some_writes(6), some_writes(2)});
  const auto fails = [](const std::string& order) {
    return order[0] == '0' && order.rfind('1') < 5;
  };
  Minimizing test{model, fails};
  channel::RunRecord& run = record();
  const std::vector<size_t> lengths = {6, 2};
  Minimizing::store("01100000", 2, run.schedule, lengths);
  Minimizer minimizer(run.schedule);
  uint64_t runs = 0;
  const auto judge = [&](const std::string& order) {
    Minimizing::store(order, 2, run.schedule, lengths);
    run.events = order.size();
    return minimizer.judge(run, fails(order) ? Verdict::same_failure : Verdict::passes);
  };
  while (minimizer.next_candidate()) judge(model.run(minimizer, ++runs));
  ASSERT_TRUE(minimizer.next_neighbour());
  const std::string first = model.run(minimizer, ++runs);
  EXPECT_FALSE(fails(first)) << first;
  EXPECT_EQ(first, "00001100");  // one step later than the last failing place
}

}  // namespace
}  // namespace jostle
