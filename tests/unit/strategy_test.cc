// The strategies against a model of a program: threads that are lists of operations, no target
// process.
#include "src/strategy/strategy.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

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

// A program whose threads never wait for each other.
class Model {
 public:
  explicit Model(std::vector<std::vector<Operation>> threads) : threads_(std::move(threads)) {}

  // The order in which threads took their steps, e.g. "0110".
  std::string run(Strategy& strategy, uint64_t seed) {
    strategy.begin(seed);
    position_.assign(threads_.size(), 0);
    EnabledSet enabled;
    for (ThreadId id = 0; id < threads_.size(); ++id) {
      if (!threads_[id].empty()) enabled.insert(id);
    }
    std::string order;
    ThreadId current = 0;
    while (enabled.count()) {
      const View view{&enabled, current, this, pending_of, events_of};
      current = enabled.count() == 1 ? enabled.nth(0) : strategy.pick(view);
      EXPECT_TRUE(enabled.contains(current));
      strategy.executed(view, current, pending_of(this, current));
      order += static_cast<char>('0' + current);
      if (++position_[current] == threads_[current].size()) enabled.erase(current);
    }
    return order;
  }

 private:
  static const Operation& pending_of(void* self, ThreadId id) {
    auto* model = static_cast<Model*>(self);
    return model->threads_[id][model->position_[id]];
  }
  static uint64_t events_of(void* self, ThreadId id) {
    return static_cast<Model*>(self)->position_[id];
  }
  std::vector<std::vector<Operation>> threads_;
  std::vector<size_t> position_;
};

Operation writes(uintptr_t address) { return {OpKind::write, 4, address, 0}; }

TEST(Strategies, AreKnownByName) {
  for (const StrategyInfo* info = known_strategies(); !info->name.empty(); ++info) {
    EXPECT_NE(make_strategy(info->name), nullptr) << info->name;
    EXPECT_FALSE(info->summary.empty());
  }
  EXPECT_EQ(make_strategy("no-such-strategy"), nullptr);
}

TEST(Strategies, SameSeedSameSchedule) {
  Model model({{writes(8), writes(16), writes(8)}, {writes(16), writes(8)}, {writes(8)}});
  for (const char* name : {"none", "random", "pos"}) {
    Strategy* one = make_strategy(name);
    Strategy* other = make_strategy(name);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      EXPECT_EQ(model.run(*one, seed), model.run(*other, seed)) << name << " seed " << seed;
    }
  }
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

}  // namespace
}  // namespace jostle
