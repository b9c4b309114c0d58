// SPDX-License-Identifier: Apache-2.0
// A thread's rounds through a loop, and what is kept of such loops over a campaign.
#include "src/runtime/scheduler/fairness/loop_watch.h"

#include <gtest/gtest.h>

#include <memory>

#include "src/schedule/waiting_loops.h"

namespace jostle::rt {
namespace {

constexpr uintptr_t kPc = 0x10, kOther = 0x20, kFlag = 0x1000;

class LoopWatchTest : public testing::Test {
 protected:
  void read(uintptr_t pc, uint32_t held = 0) { watch_.add({pc, kFlag, 4, 0, held}); }
  // The head of a round that begins in this state; has it begun in this state before?
  bool passes(uint64_t state) {
    const LoopWatch::Head* head = watch_.find(kPc, kFlag);
    if (head && watch_.has_been(*head, state)) return true;
    watch_.enter(kPc, kFlag, state);
    return false;
  }
  uint64_t memory_ = 0;
  uint64_t value_at(uintptr_t, uint32_t) const { return memory_; }

  LoopWatch watch_;
};

TEST_F(LoopWatchTest, IsBackWhereItHasRead) {
  EXPECT_FALSE(watch_.is_back(kPc, kFlag, 0));
  read(kPc);
  read(kOther);
  EXPECT_TRUE(watch_.is_back(kPc, kFlag, 0));
  EXPECT_FALSE(watch_.is_back(kPc, kFlag + 8, 0));
  watch_.changed_something();
  EXPECT_FALSE(watch_.is_back(kPc, kFlag, 0));
}

TEST_F(LoopWatchTest, IsNotBackWithALockThatItHasTakenSince) {
  read(kPc, 0);
  EXPECT_FALSE(watch_.is_back(kPc, kFlag, 1));
}

TEST_F(LoopWatchTest, ForgetsReadsThatAreLongAgo) {
  read(kPc);
  for (uint32_t i = 0; i < LoopWatch::kMostReads; ++i) read(kOther);
  EXPECT_FALSE(watch_.is_back(kPc, kFlag, 0));
}

TEST_F(LoopWatchTest, KnowsTheStateOfTheRoundBefore) {
  EXPECT_FALSE(passes(1));
  EXPECT_TRUE(watch_.in_loop());
  EXPECT_TRUE(passes(1));
  EXPECT_FALSE(passes(2));
  EXPECT_EQ(watch_.head_count, 1u);
}

// A loop that looks differently in each of several rounds is back after some more.
TEST_F(LoopWatchTest, FindsCirclesOfSeveralRounds) {
  for (const uint64_t length : {2, 3, 7, 10}) {
    watch_.changed_something();
    uint64_t rounds = 0;
    while (!passes(1 + rounds % length)) ASSERT_LT(++rounds, 4 * length) << length;
    EXPECT_GE(rounds, length);
  }
}

TEST_F(LoopWatchTest, LeavesInnerLoopsWithTheOuterOne) {
  watch_.enter(kPc, kFlag, 1);
  watch_.enter(kOther, kFlag, 2);
  EXPECT_EQ(watch_.head_count, 2u);
  EXPECT_EQ(watch_.state(), 2u);
  watch_.enter(kPc, kFlag, 3);
  EXPECT_EQ(watch_.head_count, 1u);
  EXPECT_EQ(watch_.state(), 3u);
}

TEST_F(LoopWatchTest, CountsAWriteOfTheSameValueAsNone) {
  const auto value = [this](uintptr_t address, uint32_t size) { return value_at(address, size); };
  memory_ = 5;
  watch_.enter(kPc, kFlag, 1);
  watch_.begins_write(kFlag, 4, value);
  watch_.ends_write(value);
  EXPECT_TRUE(watch_.in_loop());
  watch_.begins_write(kFlag, 4, value);
  memory_ = 6;
  watch_.ends_write(value);
  EXPECT_FALSE(watch_.in_loop());
  watch_.enter(kPc, kFlag, 1);
  watch_.begins_write(kFlag, 16, value);  // more than is looked at
  EXPECT_FALSE(watch_.in_loop());
}

TEST(WaitingLoops, RememberRoundsUntilThereIsNoRoom) {
  const auto loops = std::make_unique<WaitingLoops>();
  EXPECT_FALSE(loops->goes_round(1, 2));
  EXPECT_TRUE(loops->learn_round(1, 2));
  EXPECT_TRUE(loops->goes_round(1, 2));
  EXPECT_FALSE(loops->goes_round(1, 3));

  uint64_t learned = 1;
  while (loops->learn_round(3, learned)) ++learned;
  EXPECT_TRUE(loops->learn_round(1, 2));  // known
  uint64_t visited = 0;
  loops->each_round([&](uint64_t) { ++visited; });
  EXPECT_EQ(visited, learned);
}

TEST(WaitingLoops, LearnWhatAnotherProcessKnew) {
  const auto loops = std::make_unique<WaitingLoops>(), others = std::make_unique<WaitingLoops>();
  others->learn_round(1, 2);
  others->each_round([&](uint64_t key) { EXPECT_TRUE(loops->learn_round_again(key)); });
  EXPECT_TRUE(loops->goes_round(1, 2));
  EXPECT_EQ(loops->revision(), others->revision());
}

}  // namespace
}  // namespace jostle::rt
