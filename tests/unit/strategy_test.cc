// SPDX-License-Identifier: Apache-2.0
// The strategies against a model of a program: threads that are lists of operations, no target
// process.
#include "src/strategy/strategy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/model_program.h"

namespace jostle {
namespace {

TEST(EnabledSet, FindsMembersInOrder) {
  EnabledSet set;
  for (ThreadId id : {3u, 200u, 64u, 0u}) set.insert(id);
  set.insert(3);  // twice is once
  EXPECT_EQ(set.count(), 4u);
  EXPECT_EQ(set.nth(0), 0u);
  EXPECT_EQ(set.nth(1), 3u);
  EXPECT_EQ(set.nth(2), 64u);
  EXPECT_EQ(set.nth(3), 200u);
  set.erase(64);
  set.erase(64);
  set.erase(5000);  // never was a member
  EXPECT_EQ(set.count(), 3u);
  EXPECT_EQ(set.nth(2), 200u);
  EXPECT_FALSE(set.contains(64));
  EXPECT_FALSE(set.contains(100000));
}

TEST(Races, NeedsOverlapAndAWrite) {
  const Operation write{OpKind::write, 4, 0x1000, 0};
  const Operation read{OpKind::read, 4, 0x1002, 0};
  const Operation elsewhere{OpKind::write, 4, 0x1004, 0};
  EXPECT_TRUE(races(write, read));
  EXPECT_FALSE(races(read, read));
  EXPECT_FALSE(races(write, elsewhere));
  const Operation lock{OpKind::mutex_lock, 0, 0x2000, 0};
  EXPECT_TRUE(races(lock, lock)) << "two acquisitions of one mutex";
  const Operation nothing{OpKind::sleep, 0, 0, 0};
  EXPECT_FALSE(races(nothing, nothing));
}

TEST(OpNames, AreUniqueAndFoundAgain) {
  for (int i = 1; i < kOpKinds; ++i) {
    const auto kind = static_cast<OpKind>(i);
    EXPECT_EQ(op_kind_from_name(name(kind)), kind) << name(kind);
  }
  EXPECT_EQ(op_kind_from_name("no such thing"), OpKind::none);
}

TEST(Strategies, AreKnownByName) {
  for (const StrategyInfo* info : known_strategies()) {
    EXPECT_NE(make_strategy(info->name), nullptr) << info->name;
    EXPECT_FALSE(info->summary.empty());
  }
  EXPECT_EQ(make_strategy("no-such-strategy"), nullptr);
}

// The first column of the table in docs/strategies.md: `a`, `b`.
std::set<std::string> documented() {
  std::ifstream page(JOSTLE_SOURCE_DIR "/docs/strategies.md");
  std::set<std::string> names;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| strategy |")) in_table = true;
    if (line.empty()) in_table = in_table && names.empty();
    if (!in_table || !line.starts_with("| `")) continue;
    const std::string column = line.substr(0, line.find(" | "));
    for (size_t at = 0; (at = column.find('`', at)) != std::string::npos;) {
      const size_t end = column.find('`', at + 1);
      names.insert(column.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return names;
}

TEST(Strategies, AreThoseOfTheDocument) {
  std::set<std::string> known;
  for (const StrategyInfo* info : known_strategies()) known.emplace(info->name);
  EXPECT_EQ(documented(), known);
}

TEST(Strategies, SameSeedSameSchedule) {
  Model model({{writes(8), writes(16), writes(8)}, {writes(16), writes(8)}, {writes(8)}});
  for (const char* name : {"none",
                           "random",
                           "random:sticky=2",
                           "round-robin",
                           "pct:d=2",
                           "pos",
                           "urw",
                           "surw",
                           "delay:b=1",
                           "random:delay=4",
                           "ql",
                           "systematic-first",
                           "systematic-random",
                           "preemption-bound",
                           "delay-bound",
                           "hold",
                           "bytes",
                           "bytes:end=prng",
                           "seed",
                           "replay",
                           "mutate",
                           "rff",
                           "portfolio"}) {
    Strategy* one = make_strategy(name);
    Strategy* other = make_strategy(name);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      EXPECT_EQ(model.run_and_learn(*one, seed), model.run_and_learn(*other, seed))
          << name << " seed " << seed;
    }
  }
}

// Compositions hand out what others have, and stand between nobody.
TEST(Strategies, CompositionsHandOutThePartsOfOthers) {
  Strategy* portfolio = make_strategy("portfolio");
  const Strategy::Parts parts = portfolio->parts();
  EXPECT_TRUE(parts.names);
  EXPECT_NE(parts.observer, nullptr) << "rff's";
  EXPECT_NE(parts.explorer, nullptr);
  EXPECT_NE(parts.shares, nullptr);
  const Strategy::Parts directed = make_strategy("directed")->parts();
  EXPECT_TRUE(directed.names);
  EXPECT_EQ(directed.observer, nullptr) << "pos has none";
  EXPECT_EQ(directed.explorer, nullptr);
}

TEST(Strategies, RunsOfThePortfolioAreCalledByWhoDecidesThem) {
  const std::vector<std::vector<Operation>> program = {
      {writes(8), reads(16), writes(8)}, {writes(16), reads(8)}, {writes(8), writes(16)}};
  Model model(program);
  Strategy* portfolio = make_strategy("portfolio");
  EXPECT_EQ(portfolio->begin_run({1}).name, "random");
  std::set<std::string_view> names;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    names.insert(portfolio->begin_run({seed}).name);
    model.run_and_learn(*portfolio, seed);
  }
  EXPECT_TRUE(names.contains("rff"));
  EXPECT_TRUE(names.contains("surw"));
  EXPECT_TRUE(names.contains("delay-bound:b=1"));
  EXPECT_EQ(make_strategy("pos")->begin_run({1}).name, "") << "as the user called it";
}

// To show rff a run is dear: when there is no news it is shown its own, and a few of the others'.
TEST(Strategies, ThePortfolioShowsRffWhatItCanUse) {
  Model model({{writes(8), reads(16), writes(8)}, {writes(16), reads(8)}, {writes(8), writes(16)}});
  Strategy* portfolio = make_strategy("portfolio");
  const auto count_shown = [&](uint64_t from, uint64_t to) {
    uint64_t shown = 0;
    for (uint64_t seed = from; seed < to; ++seed) {
      const RunRoles roles = begin_run_of(*portfolio, {seed});
      shown += roles.observer != nullptr;
      EXPECT_TRUE(roles.observer || roles.name != "rff");
      EXPECT_TRUE(roles.names || !(roles.observer || roles.name == "surw"));
      model.run_and_learn(*portfolio, seed);
    }
    return shown;
  };
  EXPECT_EQ(count_shown(0, 32), 32u);
  count_shown(32, 400);
  EXPECT_LT(count_shown(400, 600), 150u);
}

// Patience is the run's, whoever decides it.
TEST(Strategies, PatientRunsAreHandedOn) {
  Strategy* directed = make_strategy("directed");
  EXPECT_FALSE(directed->begin_run({.seed = 1, .patient = true}).decider->manner().holds_up);
  EXPECT_TRUE(directed->begin_run({.seed = 1, .patient = false}).decider->manner().holds_up);
}

TEST(NoPreemption, RunsOneThreadAfterTheOther) {
  Model model({{writes(8), writes(8)}, {writes(8), writes(8)}, {writes(8)}});
  EXPECT_EQ(model.run(*make_strategy("none"), 1), "00112");
}

TEST(NoPreemption, GivesWayAtAYield) {
  const Operation yield{OpKind::yield, 0, 0, 0};
  Model model({{writes(8), yield, writes(8)}, {writes(8), writes(8)}});
  EXPECT_EQ(model.run(*make_strategy("none"), 1), "01100");
}

std::map<std::string, int> distribution(Model& model, const char* strategy, int runs) {
  Strategy* s = make_strategy(strategy);
  std::map<std::string, int> seen;
  for (int i = 0; i < runs; ++i) ++seen[model.run(*s, static_cast<uint64_t>(i) + 1)];
  return seen;
}

TEST(RandomWalk, ReachesAllSixInterleavingsOfTwoTimesTwo) {
  Model model({{writes(8), writes(8)}, {writes(8), writes(8)}});
  const auto seen = distribution(model, "random", 20'000);
  EXPECT_EQ(seen.size(), 6u);
  // Each step is a coin toss while both can run: 0011 has probability 1/4, 0101 has 1/8.
  EXPECT_NEAR(seen.at("0011"), 5'000, 300);
  EXPECT_NEAR(seen.at("0101"), 2'500, 250);
}

// The point of partial order sampling: unrelated steps do not spoil the odds of a racing pair.
// Thread 0 does nine private steps and then the racing one; thread 1 only the racing one.
TEST(PartialOrderSampling, OrdersOfARacingPairAreBalanced) {
  std::vector<Operation> busy;
  for (uintptr_t i = 0; i < 9; ++i) busy.push_back(writes(0x1000 + 8 * i));
  busy.push_back(writes(8));
  Model model({busy, {writes(8)}});
  auto late_share = [&](const char* strategy) {
    int late = 0;
    for (const auto& [order, n] : distribution(model, strategy, 20'000)) {
      if (order.back() == '1') late += n;
    }
    return late / 20'000.0;
  };
  // Under the random walk thread 1 stays behind all ten steps with probability 2^-10.
  EXPECT_LT(late_share("random"), 0.005);
  // Under pos it does when its one score is the lowest of all eleven: 1/11. (The racing pair comes
  // up together only at the end: then both orders are equally likely.)
  EXPECT_NEAR(late_share("pos"), 1.0 / 11, 0.02);
}

// The reset rule: when an operation runs, pending operations that race with it get fresh scores.
// Three threads with one racing write each: all six orders equally likely.
TEST(PartialOrderSampling, AllOrdersOfRacingOperationsAreEquallyLikely) {
  Model model({{writes(8)}, {writes(8)}, {writes(8)}});
  const auto seen = distribution(model, "pos", 30'000);
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [order, n] : seen) EXPECT_NEAR(n, 5'000, 350) << order;
}

// ---- specifications -----------------------------------------------------------------------------

using Problem = StrategySpec::Problem;

StrategySpec parsed(std::string_view text) { return parse_strategy(text, known_strategies()); }

TEST(StrategySpec, ReadsParameters) {
  EXPECT_EQ(parsed("pct").values["d"], 3u) << "the usual value";
  EXPECT_EQ(parsed("pct:d=5").values["d"], 5u);
  const StrategySpec both = parsed("pct:k=7,d=2");
  EXPECT_EQ(both.problem, Problem::none);
  EXPECT_EQ(both.values["d"], 2u);
  EXPECT_EQ(both.values["k"], 7u);
}

TEST(StrategySpec, SaysWhatIsWrong) {
  EXPECT_EQ(parsed("pxt").problem, Problem::strategy);
  EXPECT_EQ(parsed("pxt:d=3").culprit, "pxt");
  EXPECT_EQ(parsed("").problem, Problem::strategy);
  EXPECT_EQ(parsed("pct:e=3").problem, Problem::parameter);
  EXPECT_EQ(parsed("pct:e=3").culprit, "e");
  EXPECT_EQ(parsed("pct:").problem, Problem::parameter);
  EXPECT_EQ(parsed("pos:d=3").problem, Problem::parameter);
  for (const char* text : {"pct:d", "pct:d=", "pct:d=x", "pct:d=-1", "pct:d=3x"}) {
    EXPECT_EQ(parsed(text).problem, Problem::value) << text;
  }
  EXPECT_EQ(parsed("pct:d=0").problem, Problem::range);
  EXPECT_EQ(parsed("pct:d=123456").culprit, "123456");
  EXPECT_EQ(make_strategy("pct:d=0"), nullptr);
}

// ---- what each promises -------------------------------------------------------------------------

TEST(RoundRobin, TakesTurns) {
  Model model({{writes(8), writes(8), writes(8)}, {writes(8), writes(8)}, {writes(8), writes(8)}});
  EXPECT_EQ(model.run(*make_strategy("round-robin"), 1), "0120120");
  EXPECT_EQ(model.run(*make_strategy("round-robin:quantum=2"), 1), "0011220");
}

TEST(RandomWalk, StaysWhenSticky) {
  const std::vector<Operation> many(200, writes(8));
  Model model({many, many});
  const auto switches = [&](const char* name) {
    int count = 0;
    Strategy* strategy = make_strategy(name);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::string order = model.run(*strategy, seed);
      for (size_t i = 1; i < order.size(); ++i) count += order[i] != order[i - 1];
    }
    return count;
  };
  // One step in two changes the thread, or one in two of one in eight.
  EXPECT_NEAR(switches("random"), 20 * 200, 20 * 30);
  EXPECT_NEAR(switches("random:sticky=3"), 20 * 200 / 8, 20 * 15);
}

TEST(Pct, FindsABugOfDepthTwoWithItsProbability) {
  // Depth 2: thread 1 has to run as a whole between the second and the third step of thread 0.
  const std::vector<Operation> five(5, writes(8));
  Model model({five, five});
  Strategy* strategy = make_strategy("pct:d=2,k=10");
  constexpr int kRuns = 20'000;
  int found = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) found += model.run(*strategy, seed) == "0011111000";
  EXPECT_GE(found, kRuns / (2 * 10) * 9 / 10);
}

TEST(Pct, WithoutChangesRunsByPriorityOnly) {
  const std::vector<Operation> three(3, writes(8));
  Model model({three, three});
  Strategy* strategy = make_strategy("pct:d=1");
  int first = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const std::string order = model.run(*strategy, seed);
    EXPECT_TRUE(order == "000111" || order == "111000") << order;
    first += order[0] == '0';
  }
  EXPECT_NEAR(first, 500, 80);
}

TEST(Pct, LearnsHowLongRunsAre) {
  const std::vector<Operation> many(500, writes(8));
  Model model({many, many});
  Strategy* strategy = make_strategy("pct:d=2,k=1");
  const auto late_changes = [&] {
    int late = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const std::string order = model.run(*strategy, seed);
      const size_t change = order.find(order[0] == '0' ? '1' : '0');
      late += change > 10 && change < 500;
    }
    return late;
  };
  EXPECT_EQ(late_changes(), 0) << "k=1: the change comes at the first step";
  record().decisions = 500;
  strategy->after_run(record());
  EXPECT_GT(late_changes(), 150);
}

TEST(Pct, AYieldGivesWay) {
  const Operation yield{OpKind::yield, 0, 0, 0};
  Model model({{yield, writes(8)}, {yield, writes(8)}});
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const std::string order = model.run(*make_strategy("pct:d=1"), seed);
    EXPECT_NE(order[0], order[1]) << order;
  }
}

TEST(Delay, WithoutDelaysIsNoPreemption) {
  Model model({{writes(8), writes(8)}, {writes(8), writes(8)}, {writes(8)}});
  EXPECT_EQ(model.run(*make_strategy("delay:b=0"), 1), "00112");
}

TEST(Delay, NeverHasMoreThanItsBound) {
  const std::vector<Operation> four(4, writes(8));
  Model model({four, four, four});
  Strategy* strategy = make_strategy("delay:b=2,k=12");
  std::map<int, int> by_switches;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string order = model.run(*strategy, seed);
    int preemptions = 0;
    std::map<char, int> left = {{'0', 4}, {'1', 4}, {'2', 4}};
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && order[i] != order[i - 1] && left[order[i - 1]] > 0) ++preemptions;
      --left[order[i]];
    }
    ++by_switches[preemptions];
  }
  EXPECT_GT(by_switches[2], 0);
  EXPECT_EQ(by_switches.rbegin()->first, 2);
}

// Two threads of two steps have six interleavings. A random walk prefers some; once it knows the
// lengths, the uniform walk does not: Pearson's statistic over six classes stays below 20.5, which
// it exceeds by chance once in a thousand times.
TEST(Urw, IsUniformOverInterleavings) {
  const std::vector<Operation> two(2, writes(8));
  Model model({{}, two, two});
  const auto statistic = [&](Strategy& strategy) {
    constexpr int kRuns = 6000;
    std::map<std::string, int> seen;
    for (uint64_t seed = 0; seed < kRuns; ++seed) ++seen[model.run(strategy, seed)];
    EXPECT_EQ(seen.size(), 6u);
    double sum = 0;
    for (const auto& [order, count] : seen) sum += (count - 1000.0) * (count - 1000.0) / 1000.0;
    return sum;
  };
  Strategy* strategy = make_strategy("urw");
  EXPECT_GT(statistic(*strategy), 100) << "nothing known yet: a random walk";
  channel::Schedule& schedule = record().schedule;
  schedule.thread_count = 3;
  schedule.threads[0] = {0, 0, 0, 1, {}, 0};
  schedule.threads[1] = {0, 0, 0, 2, {}, 0};
  schedule.threads[2] = {0, 1, 0, 2, {}, 0};
  strategy->after_run(record());
  EXPECT_LT(statistic(*strategy), 20.5);
}

TEST(Urw, IsUniformForThreadsOfDifferentLength) {
  Model model({{}, {writes(8), writes(8), writes(8), writes(8)}, {writes(8)}});
  Strategy* strategy = make_strategy("urw");
  channel::Schedule& schedule = record().schedule;
  schedule.thread_count = 3;
  schedule.threads[0] = {0, 0, 0, 1, {}, 0};
  schedule.threads[1] = {0, 0, 0, 4, {}, 0};
  schedule.threads[2] = {0, 1, 0, 1, {}, 0};
  strategy->after_run(record());
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 5000; ++seed) ++seen[model.run(*strategy, seed)];
  EXPECT_EQ(seen.size(), 5u);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 130) << order;
}

// The accesses to the one object that both touch, as an order of threads: whatever else they do.
TEST(Surw, IsUniformOverTheAccessesToItsTarget) {
  const Operation x = writes(8);
  Model model({{}, {writes(16), x, writes(24), writes(32), x}, {x, writes(64), x}});
  Strategy* strategy = make_strategy("surw");
  for (uint64_t seed = 0; seed < 20; ++seed) model.run(*strategy, seed);  // to learn
  constexpr int kRuns = 6000;
  std::map<std::string, int> seen;
  for (uint64_t seed = 100; seed < 100 + kRuns; ++seed) {
    const std::string order = model.run(*strategy, seed);
    std::string projected;
    int steps[3] = {};
    for (const char c : order) {
      const int step = steps[c - '0']++;
      if (c == '1' ? step == 1 || step == 4 : step == 0 || step == 2) projected += c;
    }
    ++seen[projected];
  }
  EXPECT_EQ(seen.size(), 6u);
  double statistic = 0;
  for (const auto& [order, count] : seen) {
    statistic += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  EXPECT_LT(statistic, 20.5);
}

// Delays keep a preempted thread away: it comes back later than without them.
TEST(RandomWalk, DelaysKeepThreadsAway) {
  const std::vector<Operation> many(300, writes(8));
  Model model({many, many, many});
  const auto mean_absence = [&](const char* name) {
    Strategy* strategy = make_strategy(name);
    double sum = 0, count = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::string order = model.run(*strategy, seed).substr(0, 300);
      for (size_t i = 0, last = 0; i < order.size(); ++i) {
        if (order[i] != '0') continue;
        if (i > last + 1) sum += static_cast<double>(i - last), ++count;
        last = i;
      }
    }
    return sum / count;
  };
  EXPECT_GT(mean_absence("random:delay=20"), 2 * mean_absence("random"));
}

// ---- bytes --------------------------------------------------------------------------------------

std::string with_bytes(Model& model, const char* strategy, std::vector<uint8_t> bytes) {
  return model.run(*make_strategy(strategy, {.bytes = bytes.data(), .byte_count = bytes.size()}),
                   1);
}

TEST(Bytes, ZerosAreNoPreemption) {
  Model model({{writes(8), writes(8)}, {writes(8), writes(8)}, {writes(8)}});
  EXPECT_EQ(with_bytes(model, "bytes", {0, 0, 0, 0, 0}), "00112");
}

TEST(Bytes, ANumberSkipsSoManyThreads) {
  Model model({{writes(8), writes(8)}, {writes(8), writes(8)}, {writes(8)}});
  EXPECT_EQ(with_bytes(model, "bytes", {1, 1, 0, 0}), "12001");
  EXPECT_EQ(with_bytes(model, "bytes", {4, 1, 0, 0}), "12001") << "4 is 1 of three";
}

TEST(Bytes, NoNumberIsUsedWhereThereIsNoChoice) {
  Model model({{writes(8)}, {writes(8), writes(8), writes(8)}});
  EXPECT_EQ(with_bytes(model, "bytes:end=stop", {0}), "0111");
}

TEST(Bytes, EndsAsTheUserWants) {
  const std::vector<Operation> three(3, writes(8));
  Model model({three, three});
  EXPECT_EQ(with_bytes(model, "bytes:end=zeros", {1}), "111000");
  EXPECT_EQ(with_bytes(model, "bytes:end=loop", {1}), "101010");
  EXPECT_EQ(with_bytes(model, "bytes:end=stop", {1, 1}), "10-");
  std::set<std::string> seen;
  Strategy* random = make_strategy("bytes:end=prng,length=0");
  for (uint64_t seed = 0; seed < 300; ++seed) seen.insert(model.run(*random, seed));
  EXPECT_EQ(seen.size(), 20u);
}

TEST(Bytes, MoreThan256ThreadsTakeTwoBytes) {
  std::vector<std::vector<Operation>> threads(300, std::vector<Operation>{writes(8)});
  Model model(std::move(threads));
  EXPECT_EQ(with_bytes(model, "bytes:end=stop", {1, 0x04}), std::string(1, '0' + 260 - 256) + "-")
      << "0x104 is thread 260";
}

TEST(Seed, ReachesAllInterleavings) {
  Model model({{writes(8), writes(8)}, {writes(8), writes(8)}});
  EXPECT_EQ(distribution(model, "seed", 1000).size(), 6u);
}

// ---- following and changing a log
// -----------------------------------------------------------------

TEST(Replay, FollowsTheLogAsFarAsItCan) {
  const std::vector<Operation> four(4, writes(8));
  Model model({four, four});
  channel::Schedule& log = record().schedule;
  log.segment_count = 4;
  log.choice_count = 0;
  log.segments[0] = {1, OpKind::write, 0, 0, 2, 0};
  log.segments[1] = {7, OpKind::write, 0, 0, 2, 0};  // no such thread: left out
  log.segments[2] = {0, OpKind::write, 0, 0, 1, 0};
  log.segments[3] = {1, OpKind::write, 0, 0, 3, 0};
  Strategy* strategy = make_strategy("replay", {.schedule = &log});
  EXPECT_EQ(model.run(*strategy, 1), "11011000") << "after the log nobody is preempted";
  EXPECT_EQ(model.run(*strategy, 2), "11011000") << "whatever the seed";
}

TEST(Mutate, BeginsWithoutPreemptionAndThenChangesWhatIsNew) {
  const std::vector<Operation> four(4, writes(8));
  Model model({four, four});
  Strategy* strategy = make_strategy("mutate");
  channel::Schedule& log = record().schedule;
  log.segment_count = 0;
  record().new_reads_from = 0;
  EXPECT_EQ(model.run_and_learn(*strategy, 1), "00001111");
  std::set<std::string> seen;
  for (uint64_t seed = 2; seed < 200; ++seed) seen.insert(model.run_and_learn(*strategy, seed));
  EXPECT_GT(seen.size(), 10u);
}

// ---- Q-learning
// -----------------------------------------------------------------------------------

// In one and the same state, what has been done often becomes less likely than what has not.
TEST(Ql, TurnsToWhatItHasNotDone) {
  Operation here = writes(8), there = writes(16);
  here.pc = 1;
  there.pc = 2;
  Model one({{here}, {here}});
  Strategy* strategy = make_strategy("ql");
  for (uint64_t seed = 0; seed < 200; ++seed) one.run(*strategy, seed);
  Model both({{here}, {there}});
  int new_first = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    new_first += both.run(*strategy, seed)[0] == '1';
    if (seed == 9) {
      EXPECT_GE(new_first, 6);
    }
  }
  EXPECT_LT(new_first, 95) << "in the end both have been done often";
}

}  // namespace
}  // namespace jostle
