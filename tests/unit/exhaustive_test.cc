// SPDX-License-Identifier: Apache-2.0
// The exhaustive strategies find every schedule of a small program, each once, and know when there
// is none left.
#include <gtest/gtest.h>

#include "src/strategy/exhaustive/scheduling_graph.h"
#include "tests/unit/model_program.h"

namespace jostle {
namespace {

struct Explored {
  std::set<std::string> orders;
  uint64_t runs = 0;
  channel::Exploration end = {};
};

// Until the strategy says that it is done, or `limit` runs.
Explored explore(Model& model, Strategy& strategy, uint64_t limit = 100'000) {
  Explored all;
  while (!all.end.finished && all.runs < limit) {
    all.orders.insert(model.run_and_learn(strategy, ++all.runs));
    all.end = exploration_of(strategy);
  }
  return all;
}

std::vector<Operation> steps(size_t n) { return std::vector<Operation>(n, writes(8)); }

struct Case {
  const char* name;
  std::vector<std::vector<Operation>> threads;
  uint64_t schedules;  // 0: whatever trying all of them gives
};

std::vector<Case> cases() {
  constexpr uintptr_t kA = 0x100, kB = 0x200;
  const std::vector<Operation> guarded = {locks(kA), writes(8), unlocks(kA)};
  const std::vector<Operation> a_then_b = {locks(kA), locks(kB), unlocks(kB), unlocks(kA)};
  const std::vector<Operation> b_then_a = {locks(kB), locks(kA), unlocks(kA), unlocks(kB)};
  return {
      {"one thread", {steps(5)}, 1},
      {"two of one step", {steps(1), steps(1)}, 2},
      // threadfuzzer-net, figures 2 and 3.
      {"two of two steps", {steps(2), steps(2)}, 6},
      {"three of two steps", {steps(2), steps(2), steps(2)}, 90},
      {"two of six steps", {steps(6), steps(6)}, 924},
      {"different lengths", {steps(1), steps(4), steps(2)}, 105},
      {"a lock", {guarded, guarded}, 2},
      {"a lock, three threads", {guarded, guarded, guarded}, 6},
      {"a lock and free steps", {{writes(8), locks(kA), unlocks(kA)}, guarded, steps(2)}, 0},
      {"a deadlock", {a_then_b, b_then_a}, 0},
      {"three philosophers",
       {{locks(1), locks(2), unlocks(2), unlocks(1)},
        {locks(2), locks(3), unlocks(3), unlocks(2)},
        {locks(3), locks(1), unlocks(1), unlocks(3)}},
       0},
  };
}

class Systematic : public testing::TestWithParam<const char*> {};

TEST_P(Systematic, FindsEveryScheduleOnce) {
  for (const Case& each : cases()) {
    Model model(each.threads);
    const std::set<std::string> expected = model.all_orders();
    if (each.schedules) {
      EXPECT_EQ(expected.size(), each.schedules) << each.name;
    }
    const Explored found = explore(model, *make_strategy(GetParam()));
    EXPECT_EQ(found.orders, expected) << each.name;
    EXPECT_EQ(found.runs, expected.size()) << each.name << ": none twice";
    EXPECT_EQ(found.end.explored, expected.size()) << each.name;
    EXPECT_EQ(found.end.unexplored, 0u);
    EXPECT_TRUE(found.end.finished && found.end.everything) << each.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Systematic, testing::Values("systematic-first", "systematic-random"),
                         [](const auto& info) {
                           return std::string(info.param) == "systematic-first" ? "First"
                                                                                : "Random";
                         });

// Figure 3: nothing is left exactly when all six have been run.
TEST(SchedulingGraphTest, CountsWhatIsKnownToBeLeft) {
  Model model({steps(2), steps(2)});
  Strategy* strategy = make_strategy("systematic-first");
  EXPECT_EQ(model.run_and_learn(*strategy, 1), "0011");
  EXPECT_EQ(exploration_of(*strategy).unexplored, 2u) << "thread 1 at either of two decisions";
  for (uint64_t run = 2; run <= 6; ++run) {
    EXPECT_GT(exploration_of(*strategy).unexplored, 0u);
    model.run_and_learn(*strategy, run);
    EXPECT_EQ(exploration_of(*strategy).explored, run);
  }
  EXPECT_EQ(exploration_of(*strategy).unexplored, 0u);
}

TEST(SystematicFirst, BeginsWithoutPreemption) {
  Model model({steps(2), steps(2)});
  EXPECT_EQ(model.run_and_learn(*make_strategy("systematic-first"), 1), "0011");
}

TEST(SystematicFirst, NeedsMemoryForOneRunOnly) {
  SchedulingGraph graph(SchedulingGraph::Search::first);
  uint32_t most = 0;
  for (int run = 0; run < 20'000; ++run) {
    graph.begin_run(1);
    for (int i = 0; i < 40; ++i) graph.decide(3, 1);
    graph.end_run(channel::Outcome::exited);
    most = std::max(most, graph.nodes());
  }
  EXPECT_LE(most, 40u);
  EXPECT_GT(graph.unexplored(), 0u);
}

TEST(SystematicRandom, SpreadsOverTheWholeSpace) {
  Model model({steps(6), steps(6), steps(6)});
  Strategy* strategy = make_strategy("systematic-random");
  std::set<std::string> beginnings;
  for (uint64_t run = 1; run <= 200; ++run) {
    beginnings.insert(model.run_and_learn(*strategy, run).substr(0, 3));
  }
  EXPECT_GT(beginnings.size(), 20u) << "of 27";
}

// A program that does not do the same thing twice is never called explored.
TEST(SchedulingGraphTest, SaysWhenTheProgramDiffers) {
  SchedulingGraph graph(SchedulingGraph::Search::first);
  for (int run = 0; run < 3; ++run) {
    graph.begin_run(1);
    graph.decide(2, static_cast<uint64_t>(run));
    graph.end_run(channel::Outcome::exited);
  }
  EXPECT_FALSE(graph.is_exact());
  graph.clear();
  EXPECT_TRUE(graph.is_exact());
  EXPECT_EQ(graph.explored(), 0u);
}

TEST(SchedulingGraphTest, ARunThatGoesOnBehindAnEndDiffers) {
  SchedulingGraph graph(SchedulingGraph::Search::first);
  graph.begin_run(1);
  graph.decide(2, 1);
  graph.end_run(channel::Outcome::deadlock);
  graph.begin_run(1);
  graph.decide(2, 1);
  graph.end_run(channel::Outcome::exited);
  EXPECT_EQ(graph.explored(), 2u);
  EXPECT_EQ(graph.unexplored(), 0u);
  EXPECT_TRUE(graph.is_exact());
}

TEST(SchedulingGraphTest, IsDrawnWithItsFinishedParts) {
  Model model({steps(2), steps(2)});
  Strategy* strategy = make_strategy("systematic-first");
  strategy->parts().explorer->keep_graph();
  explore(model, *strategy);
  std::vector<channel::GraphNode> nodes(100);
  const uint32_t count = strategy->parts().explorer->draw_graph(nodes.data(), 100);
  uint64_t ends = 0;
  for (uint32_t i = 0; i < count; ++i) {
    ends += nodes[i].state == channel::GraphState::end;
    if (i) {
      EXPECT_LT(nodes[i].parent, i) << "every node comes behind its parent";
    }
  }
  EXPECT_EQ(ends, 6u);
  EXPECT_EQ(nodes[0].explored, 6u);
  EXPECT_EQ(nodes[0].value, 0u);
  EXPECT_LE(strategy->parts().explorer->draw_graph(nodes.data(), 3), 3u);
}

// Memory that turns out to be shared makes new scheduling points: what was explored with fewer does
// not count.
TEST(Exhaustive, BeginsAgainWhenThereAreMorePoints) {
  Model model({steps(2), steps(2)});
  Strategy* strategy = make_strategy("systematic-first");
  record().newly_shared = 1;
  model.run_and_learn(*strategy, 1);
  record().newly_shared = 0;
  EXPECT_EQ(exploration_of(*strategy).explored, 0u);
  EXPECT_EQ(explore(model, *strategy).runs, 6u);
}

// ---- bounds -------------------------------------------------------------------------------------

// Thread 0 runs first: to begin with another is a preemption, too.
int preemptions_of(const std::string& order, std::vector<size_t> lengths) {
  int count = order[0] != '0';
  for (size_t i = 0; i < order.size(); ++i) {
    if (i && order[i] != order[i - 1] && lengths[static_cast<size_t>(order[i - 1] - '0')]) ++count;
    --lengths[static_cast<size_t>(order[i] - '0')];
  }
  return count;
}

TEST(PreemptionBound, ExploresBoundByBound) {
  Model model({steps(3), steps(3)});
  const std::set<std::string> all = model.all_orders();
  for (int bound = 0; bound <= 4; ++bound) {
    std::set<std::string> expected;
    for (const std::string& order : all) {
      if (preemptions_of(order, {3, 3}) <= bound) expected.insert(order);
    }
    const std::string name = "preemption-bound:c=" + std::to_string(bound);
    const Explored found = explore(model, *make_strategy(name));
    EXPECT_EQ(found.orders, expected) << name;
    EXPECT_EQ(found.end.bound, bound);
    EXPECT_EQ(found.end.explored, expected.size());
    EXPECT_EQ(found.end.everything != 0, expected.size() == all.size()) << name;
  }
}

TEST(PreemptionBound, WithoutALimitExploresEverything) {
  Model model({steps(2), {locks(1), writes(8), unlocks(1)}, {locks(1), unlocks(1)}});
  const Explored found = explore(model, *make_strategy("preemption-bound"));
  EXPECT_EQ(found.orders, model.all_orders());
  EXPECT_TRUE(found.end.everything);
}

TEST(PreemptionBound, ComesInTheOrderOfBounds) {
  Model model({steps(4), steps(4)});
  Strategy* strategy = make_strategy("preemption-bound");
  int most = 0;
  for (uint64_t run = 1; run < 200 && !exploration_of(*strategy).finished; ++run) {
    const int64_t complete = exploration_of(*strategy).bound;
    const int preemptions = preemptions_of(model.run_and_learn(*strategy, run), {4, 4});
    EXPECT_LE(preemptions, complete + 1);
    most = std::max(most, preemptions);
  }
  EXPECT_GE(most, 3);
}

TEST(PreemptionBound, ChoicesThatAreNotAboutThreadsCostOneOrNothing) {
  // Two choices among three and two: the usual one of each is 0.
  const auto explored = [](const char* spec) {
    Strategy* strategy = make_strategy(spec);
    std::set<std::pair<uint32_t, uint32_t>> seen;
    channel::RunRecord& run = record();
    run.newly_shared = 0;
    run.end.outcome = channel::Outcome::exited;
    for (uint64_t i = 1; i < 100 && !exploration_of(*strategy).finished; ++i) {
      Decider* decider = strategy->begin_run({i}).decider;
      const uint32_t first = decider->choose({ChoiceKind::wake, 3});
      seen.insert({first, decider->choose({ChoiceKind::wake, 2})});
      strategy->after_run(run);
    }
    EXPECT_TRUE(exploration_of(*strategy).finished);
    return seen.size();
  };
  EXPECT_EQ(explored("preemption-bound:c=0"), 1);
  EXPECT_EQ(explored("preemption-bound:c=1"), 3);
  EXPECT_EQ(explored("preemption-bound:c=0,choices=free"), 6);
}

TEST(DelayBound, WithoutDelaysThereIsOneSchedule) {
  Model model({steps(3), steps(3), steps(3)});
  const Explored found = explore(model, *make_strategy("delay-bound:b=0"));
  EXPECT_EQ(found.orders, std::set<std::string>{"000111222"});
  EXPECT_EQ(found.end.bound, 0);
  EXPECT_FALSE(found.end.everything);
}

TEST(DelayBound, OneDelaySkipsOneThreadOnce) {
  Model model({steps(2), steps(2), steps(1)});
  // At each of the five steps at which somebody else could run, or nowhere.
  const Explored found = explore(model, *make_strategy("delay-bound:b=1"));
  EXPECT_EQ(found.orders, (std::set<std::string>{"00112", "11200", "01120", "00211", "00121"}));
}

// Workers of a campaign: each delay is one worker's, the run without delays everybody's.
TEST(DelayBound, ItsTasksCanBeDivided) {
  Model model({steps(2), steps(2), steps(1)});
  std::set<std::string> all;
  size_t delayed = 0;
  for (uint32_t part = 0; part < 3; ++part) {
    const Explored found =
        explore(model, *make_strategy("delay-bound:b=1", {.part = part, .parts = 3}));
    EXPECT_TRUE(found.orders.contains("00112"));
    delayed += found.orders.size() - 1;
    all.insert(found.orders.begin(), found.orders.end());
  }
  EXPECT_EQ(all, (std::set<std::string>{"00112", "11200", "01120", "00211", "00121"}));
  EXPECT_EQ(delayed, 4u);
}

TEST(DelayBound, WithoutALimitExploresEverything) {
  Model model({steps(2), steps(2), steps(2)});
  const Explored found = explore(model, *make_strategy("delay-bound"));
  EXPECT_EQ(found.orders.size(), 90u);
  EXPECT_TRUE(found.end.everything);
}

// Choices that are not about threads are explored, too.
TEST(Exhaustive, ExploresOtherChoices) {
  Strategy* strategy = make_strategy("systematic-first");
  std::set<std::string> seen;
  uint64_t runs = 0;
  while (!exploration_of(*strategy).finished && runs < 100) {
    Decider* decider = strategy->begin_run({++runs}).decider;
    std::string picked;
    picked += static_cast<char>('0' + decider->choose({ChoiceKind::wake, 3}));
    picked += static_cast<char>('0' + decider->choose({ChoiceKind::time, 2}));
    seen.insert(picked);
    record().end.outcome = channel::Outcome::exited;
    strategy->after_run(record());
  }
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_EQ(runs, 6u);
}

}  // namespace
}  // namespace jostle
