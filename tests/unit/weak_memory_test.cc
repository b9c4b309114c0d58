// SPDX-License-Identifier: Apache-2.0
// The weak memory model against litmus tests: which executions it has, and that the axioms of RC11
// allow each of them.
#include "src/runtime/weak/weak_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "tests/unit/litmus_explorer.h"
#include "tests/unit/litmus_random.h"
#include "tests/unit/litmus_table.h"

namespace jostle::litmus {
namespace {

class Litmus : public testing::TestWithParam<Row> {};

TEST_P(Litmus, HasTheExecutionsOfTheModel) {
  const Row& row = GetParam();
  const Program program = Parser(row.program).parse();
  Explorer<ModelMemory> model(program);
  const std::set<std::string> executions = model.executions();
  EXPECT_EQ(executions.size(), row.model);
  for (const Graph& graph : model.graphs()) EXPECT_TRUE(Consistency(graph).holds());

  const std::set<std::string> allowed = Explorer<AnyMemory>(program).executions();
  EXPECT_EQ(allowed.size(), row.consistent);
  EXPECT_TRUE(std::includes(allowed.begin(), allowed.end(), executions.begin(), executions.end()));
}

TEST_P(Litmus, IsSequentiallyConsistentWithTheNewest) {
  const Row& row = GetParam();
  const Program program = Parser(row.program).parse();
  const std::set<std::string> executions =
      Explorer<ModelMemory>(program).only_newest().executions();
  if (row.sequential != kNotStated) {
    EXPECT_EQ(executions.size(), row.sequential);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Litmus, testing::ValuesIn(kRows), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + std::to_string(info.index);
});

// States are recognised by the graph and the order of the seq_cst operations: that loses nothing.
TEST(LitmusStates, AreAllThatMatters) {
  size_t tried = 0;
  for (const Row& row : kRows) {
    const Program program = Parser(row.program).parse();
    size_t operations = 0;
    for (const auto& thread : program.threads) operations += thread.size();
    if (operations > 6) continue;
    ++tried;
    EXPECT_EQ(Explorer<ModelMemory>(program).every_path().executions(),
              Explorer<ModelMemory>(program).executions())
        << row.name;
  }
  EXPECT_GT(tried, 50u);
}

TEST(LitmusRandom, EveryExecutionIsConsistent) {
  size_t executions = 0, weak = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Program program = RandomProgram(seed).make();
    Explorer<ModelMemory> model(program);
    const std::set<std::string> all = model.executions();
    const std::set<std::string> sequential =
        Explorer<ModelMemory>(program).only_newest().executions();
    for (const Graph& graph : model.graphs()) {
      EXPECT_TRUE(Consistency(graph).holds()) << seed << " " << graph.key(4);
    }
    EXPECT_TRUE(std::includes(all.begin(), all.end(), sequential.begin(), sequential.end()))
        << seed;
    executions += all.size();
    weak += all.size() - sequential.size();
  }
  EXPECT_GT(executions, 4'000u);
  EXPECT_GT(weak, 200u);
}

// ---- what litmus tests are too small for ------------------------------------------------------

using race::kAcquire;
using race::kAcquireRelease;
using race::kRelaxed;
using race::kRelease;
using weak::History;
using weak::kUsualHistory;
using weak::Strength;

constexpr Strength kPlain = {kRelaxed, false}, kTakes = {kAcquire, false},
                   kGives = {kRelease, false};
constexpr uintptr_t kX = 0x1000, kY = 0x2000;

class WeakMemory : public testing::Test {
 protected:
  // Thread 0 has made threads 1 to 9.
  WeakMemory() {
    detector().begin_run(
        0, [](void*, const race::Access&, const race::Access&) {}, nullptr);
    memory().begin_run(detector());
    for (uint32_t child = 1; child <= 9; ++child) detector().create(0, child);
  }
  static race::Detector& detector() {
    static auto* one = new race::Detector;
    return *one;
  }
  static weak::WeakMemory& memory() {
    static auto* one = new weak::WeakMemory;
    return *one;
  }
  History& at(uintptr_t address) { return *memory().find(address, 4, values_[address]); }
  void append(uint32_t thread, uintptr_t address, uint64_t value, Strength strength = kPlain) {
    History& history = at(address);
    EXPECT_TRUE(memory().write(thread, history, history.count, value, strength));
    values_[address] = value;
  }
  void add_one(uint32_t thread, uintptr_t address, Strength strength = kPlain) {
    History& history = at(address);
    const uint64_t value = history.newest().value + 1;
    EXPECT_TRUE(memory().modify(thread, history, history.last(), value, strength));
    values_[address] = value;
  }
  uint64_t read_newest(uint32_t thread, uintptr_t address, Strength strength = kPlain) {
    History& history = at(address);
    return memory().read(thread, history, history.last(), strength).value;
  }
  // Values that the thread may read, the newest first.
  std::vector<uint64_t> readable(uint32_t thread, uintptr_t address, Strength strength = kPlain) {
    History& history = at(address);
    const weak::Alternatives all = memory().readable(thread, history, strength);
    std::vector<uint64_t> values;
    for (uint32_t i = 0; i < all.count; ++i) values.push_back(history.at(all.position[i]).value);
    return values;
  }
  // Does thread `b` know what `a` has done so far?
  static bool knows(uint32_t b, uint32_t a) {
    const uint32_t slot = detector().slot_of(a);
    return detector().clock_of(b)[slot] + 1 >= detector().clock_of(a)[slot] &&
           detector().clock_of(b)[slot] > 0 && slot != detector().slot_of(b);
  }
  std::map<uintptr_t, uint64_t> values_;
};

using Values = std::vector<uint64_t>;

TEST_F(WeakMemory, TheOldestStoresAreForgotten) {
  for (uint64_t i = 1; i <= 20; ++i) append(1, kX, i);
  const Values kept = readable(2, kX);
  ASSERT_EQ(kept.size(), kUsualHistory);
  EXPECT_EQ(kept.front(), 20u);
  EXPECT_EQ(kept.back(), 13u);
  EXPECT_EQ(readable(1, kX), Values{20});
}

// Not who knows of a newer one; who does not asks for something that is gone.
TEST_F(WeakMemory, ThatSomethingWasForgottenIsKnownWhenItCouldHaveBeenRead) {
  for (uint64_t i = 1; i <= 20; ++i) append(1, kX, i);
  EXPECT_EQ(readable(1, kX), Values{20});
  EXPECT_EQ(memory().cut(), weak::Cut::none);
  readable(2, kX);
  EXPECT_EQ(memory().cut(), weak::Cut::histories);
}

TEST_F(WeakMemory, AReleaseSequenceOutlivesTheStoreThatHeadsIt) {
  append(1, kX, 1, kGives);
  for (int i = 0; i < 20; ++i) add_one(2, kX);
  EXPECT_FALSE(knows(3, 1));
  read_newest(3, kX, kTakes);
  EXPECT_TRUE(knows(3, 1));
}

TEST_F(WeakMemory, AReadModifyWriteOfTheOldestOfAFullHistoryCarriesOn) {
  append(1, kX, 1, kGives);
  for (uint64_t i = 2; i <= kUsualHistory; ++i) append(1, kX, i);
  History& history = at(kX);
  ASSERT_EQ(history.count, kUsualHistory);
  // The initial value is gone: the release store is the oldest.
  ASSERT_EQ(history.at(0).value, 1u);
  EXPECT_FALSE(memory().modify(2, history, 0, 77, kPlain));
  ASSERT_EQ(history.at(0).value, 77u);
  memory().read(3, history, 0, kTakes);
  EXPECT_TRUE(knows(3, 1));
}

TEST_F(WeakMemory, AStoreIsInsertedBehindWhatItsThreadKnows) {
  append(1, kX, 1);
  append(1, kX, 2);
  append(1, kX, 3);
  History& history = at(kX);
  memory().read(2, history, 1, kPlain);
  const weak::Alternatives all = memory().places(2, history, kPlain);
  ASSERT_EQ(all.count, 3u);  // behind 3, before 3, before 2
  EXPECT_FALSE(memory().write(2, history, 2, 9, kPlain));
  EXPECT_EQ(readable(3, kX), (Values{3, 2, 9, 1, 0}));
  EXPECT_EQ(readable(2, kX), (Values{3, 2, 9}));
}

TEST_F(WeakMemory, NothingComesBetweenAReadModifyWriteAndItsSource) {
  append(1, kX, 5);
  add_one(1, kX);
  History& history = at(kX);
  // 0, 5, 6: behind 6, and before 5, but not between 5 and 6.
  const weak::Alternatives places = memory().places(2, history, kPlain);
  ASSERT_EQ(places.count, 2u);
  EXPECT_EQ(places.position[0], 3u);
  EXPECT_EQ(places.position[1], 1u);
  const weak::Alternatives sources = memory().modifiable(2, history, kPlain);
  ASSERT_EQ(sources.count, 2u);
  EXPECT_EQ(sources.position[0], 2u);
  EXPECT_EQ(sources.position[1], 0u);
  // A compare-exchange that expects 5 cannot succeed with it; one that expects 6 can fail with it.
  EXPECT_EQ(memory().comparable(2, history, 5, kPlain, kPlain).count, 2u);
  EXPECT_EQ(memory().comparable(2, history, 6, kPlain, kPlain).count, 3u);
}

TEST_F(WeakMemory, WhatManyHaveSeenEverybodyKnows) {
  append(9, kX, 1);
  for (uint32_t thread = 1; thread <= weak::kMostSeers + 1; ++thread) read_newest(thread, kX);
  EXPECT_EQ(readable(8, kX), Values{1});
}

TEST_F(WeakMemory, WhatIsWrittenByOthersStartsAnew) {
  append(1, kX, 1, kGives);
  append(1, kX, 2);
  values_[kX] = 50;
  EXPECT_EQ(readable(2, kX), Values{50});
  // Whoever wrote it may have published what was published before.
  read_newest(2, kX, kTakes);
  EXPECT_TRUE(knows(2, 1));
}

TEST_F(WeakMemory, DifferentSizesReadTheNewestOnly) {
  append(1, kX, 1, kGives);
  append(1, kX, 2);
  History* whole = memory().find(kX, 8, 2);
  ASSERT_NE(whole, nullptr);
  EXPECT_TRUE(whole->whole);
  EXPECT_EQ(memory().readable(2, *whole, kPlain).count, 1u);
  EXPECT_EQ(memory().find(kX, 4, 2), whole);
  EXPECT_EQ(memory().find(kX + 4, 4, 0), whole);
  memory().read(2, *whole, 0, kTakes);
  EXPECT_TRUE(knows(2, 1));
  // And what is published from now on, adds up.
  EXPECT_TRUE(memory().write(3, *whole, 1, 3, kGives));
  EXPECT_TRUE(memory().write(4, *whole, 1, 3, kGives));
  memory().read(5, *whole, 0, kTakes);
  EXPECT_TRUE(knows(5, 1) && knows(5, 3) && knows(5, 4));
}

TEST_F(WeakMemory, NeighboursAreLocationsOfTheirOwn) {
  append(1, kX, 1);
  append(1, kX + 4, 7);
  EXPECT_EQ(readable(2, kX), (Values{1, 0}));
  EXPECT_EQ(readable(2, kX + 4), (Values{7, 0}));
}

TEST_F(WeakMemory, FreshMemoryHasNoHistory) {
  append(1, kX, 1);
  append(1, kX + 4, 2);
  append(1, kY, 3);
  memory().forget(kX + 4, 8);
  EXPECT_EQ(readable(2, kX), (Values{1, 0}));
  EXPECT_EQ(readable(2, kX + 4), Values{2});
  memory().forget(0, size_t{1} << 32);
  EXPECT_EQ(readable(2, kX), Values{1});
  EXPECT_EQ(readable(2, kY), Values{3});
}

TEST_F(WeakMemory, AFenceOfSeqCstMakesNoHappensBefore) {
  append(1, kX, 1);
  memory().fence(1, {kAcquireRelease, true});
  memory().fence(2, {kAcquireRelease, true});
  EXPECT_EQ(readable(2, kX), Values{1});
  EXPECT_FALSE(knows(2, 1));
  EXPECT_EQ(readable(3, kX), (Values{1, 0}));
}

TEST_F(WeakMemory, ThreadsThatFollowEachOtherGoOnWithTheTime) {
  append(1, kX, 1);
  detector().finish(1);
  detector().join(0, 1);
  detector().create(0, 10);  // in the place of 1
  append(10, kX, 2);
  EXPECT_EQ(readable(10, kX), Values{2});
  EXPECT_EQ(readable(0, kX), (Values{2, 1}));
  EXPECT_EQ(readable(2, kX), (Values{2, 1, 0}));
}

TEST_F(WeakMemory, MoreLocationsThanThereIsRoomForAreRefused) {
  size_t refused = 0;
  for (uintptr_t i = 0; i < 20'000; ++i) refused += memory().find(kX + 8 * i, 4, 0) == nullptr;
  EXPECT_GT(refused, 0u);
  memory().forget(kX, 8 * 20'000);
  EXPECT_NE(memory().find(kX, 4, 0), nullptr);
}

}  // namespace
}  // namespace jostle::litmus
