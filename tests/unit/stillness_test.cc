// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/fairness/stillness.h"

#include <gtest/gtest.h>

#include <functional>

#include "src/runtime/scheduler/fairness/polling.h"

namespace jostle::rt {
namespace {

using Verdict = Stillness::Verdict;

// What a thread does: the place of its n-th event, and its state there.
struct Step {
  Stillness::Place place;
  uint64_t state;
  uint64_t near = 0;  // the part of it that is looked at first
};

// A thread that is there in one and the same state.
Verdict visits(Stillness& still, const Step& step) {
  return still.about_to(
      step.place,
      [&] {
        return Stillness::State{step.state, 0};
      },
      [&](uintptr_t) { return step.near; });
}

Verdict watch(Stillness& still, const std::function<Step(uint64_t)>& thread, uint64_t most = 1e6) {
  still.start();
  for (uint64_t n = 0; n < most; ++n) {
    const Step step = thread(n);
    const Verdict verdict = visits(still, step);
    if (verdict != Verdict::unknown) return verdict;
  }
  return Verdict::unknown;
}

Stillness::Place load(uintptr_t object, uintptr_t pc = 0x10) {
  return {OpKind::atomic_load, object, pc};
}

TEST(Stillness, ALoopInOneStateIsStill) {
  Stillness still;
  EXPECT_EQ(watch(still, [](uint64_t) { return Step{load(0x1000), 7}; }), Verdict::still);
  EXPECT_TRUE(still.still());
}

TEST(Stillness, ALoopThatCountsMoves) {
  Stillness still;
  EXPECT_EQ(watch(still, [](uint64_t n) { return Step{load(0x1000), n}; }), Verdict::moves);
}

// What changes is seen in a part of it, without a look at all.
TEST(Stillness, ALoopThatCountsOnItsStackMoves) {
  Stillness still;
  uint64_t looks = 0, n = 0;
  still.start();
  Verdict verdict;
  do {
    verdict = still.about_to(
        load(0x1000),
        [&] {
          ++looks;
          return Stillness::State{n, 0};
        },
        [&](uintptr_t) { return n; });
    ++n;
  } while (verdict == Verdict::unknown);
  EXPECT_EQ(verdict, Verdict::moves);
  EXPECT_GT(n, 10 * looks);
}

TEST(Stillness, ARoundMayComeBackToAPart) {
  Stillness still;
  const auto inner_loop = [](uint64_t n) { return Step{load(0x1000), n % 40, n % 8}; };
  EXPECT_EQ(watch(still, inner_loop), Verdict::still);
}

TEST(Stillness, ARoundMayBeLong) {
  Stillness still;
  const auto scan = [](uint64_t n) { return Step{load(0x1000 + 8 * (n % 300)), n % 300}; };
  EXPECT_EQ(watch(still, scan), Verdict::still);
}

TEST(Stillness, ARoundMayComeToOnePlaceInSeveralStates) {
  Stillness still;
  const auto inner_loop = [](uint64_t n) { return Step{load(0x1000), n % 40}; };
  EXPECT_EQ(watch(still, inner_loop), Verdict::still);
}

TEST(Stillness, WhatComesBeforeTheCycleDoesNotMatter) {
  Stillness still;
  // Back-off that grows to a limit.
  const auto thread = [](uint64_t n) { return Step{load(0x1000), n < 100 ? n : 100}; };
  EXPECT_EQ(watch(still, thread), Verdict::still);
}

TEST(Stillness, AScanThatEndsMoves) {
  Stillness still;
  EXPECT_EQ(watch(still, [](uint64_t n) { return Step{load(0x1000 + 8 * n), n}; }), Verdict::moves);
}

TEST(Stillness, WhoWritesTakesMoreRounds) {
  Stillness reader, writer;
  uint64_t rounds[2] = {};
  reader.start();
  while (visits(reader, {load(0x1000), 7}) == Verdict::unknown) ++rounds[0];
  writer.start();
  writer.writes(0x2000);
  while (visits(writer, {load(0x1000), 7}) == Verdict::unknown) ++rounds[1];
  EXPECT_GT(rounds[1], 2 * rounds[0]);
}

TEST(Stillness, WhoWritesEverywhereMoves) {
  Stillness still;
  still.start();
  for (uintptr_t i = 0; i <= Stillness::kMostWords; ++i) still.writes(0x1000 + 8 * i);
  EXPECT_EQ(visits(still, {load(0x1000), 7}), Verdict::moves);
}

TEST(Stillness, AChangeByOthersStartsAfresh) {
  Stillness still;
  ASSERT_EQ(watch(still, [](uint64_t) { return Step{load(0x1000), 7}; }), Verdict::still);
  still.disturb();
  EXPECT_FALSE(still.still());
  EXPECT_TRUE(still.watching());
  EXPECT_EQ(visits(still, {load(0x1000), 7}), Verdict::unknown);
}

// The other goes round, too, and has not been watched yet. But not for as long as the other works.
TEST(Stillness, AChangeByOthersIsNoMove) {
  Stillness still;
  const auto first = [&] { return visits(still, {load(0x1000, 0x20), 7}); };
  const auto second = [&] { return visits(still, {load(0x2000, 0x30), 8}); };
  still.start();
  still.writes(0x3000);
  for (int n = 0; n < 1'000; ++n) {
    EXPECT_EQ(first(), Verdict::unknown);
    EXPECT_EQ(second(), Verdict::unknown);
  }
  still.disturb();
  EXPECT_EQ(first(), Verdict::unknown);
  still.disturb();
  EXPECT_EQ(second(), Verdict::unknown);
  for (int n = 0; n < 64; ++n) still.disturb();
  for (int n = 0; n < 1'000; ++n) {
    first();
    second();
  }
  still.disturb();
  EXPECT_EQ(visits(still, {load(0x4000, 0x40), 9}), Verdict::moves);
}

TEST(ReadTimes, WhatIsMadeOfATimeIsTheSameInEveryRound) {
  ReadTimes times;
  const int64_t first = 0x1e2'0e8de950, second = first + Polling::kLargeStep;
  times.add(first);
  times.add(second);
  const auto rest = [&](int64_t word) { return times.rest(static_cast<uint64_t>(word)); };
  EXPECT_EQ(rest(first), rest(second));
  EXPECT_EQ(rest(first + 10'000'000), rest(second + 10'000'000));
  EXPECT_NE(rest(first), rest(second + 1));
  // Half of a time, and a small number where the other half was.
  constexpr int64_t kUpper = ~int64_t{UINT32_MAX};
  EXPECT_EQ(rest((first & kUpper) + 3), rest((second & kUpper) + 3));
  EXPECT_NE(rest((first & kUpper) + 3), rest((second & kUpper) + 4));
  // A counter in the upper half is none.
  EXPECT_NE(rest(int64_t{7} << 32), rest(int64_t{8} << 32));
  EXPECT_NE(rest(5), rest(6));
}

}  // namespace
}  // namespace jostle::rt
