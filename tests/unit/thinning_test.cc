// SPDX-License-Identifier: Apache-2.0
// Where long runs have their scheduling points.
#include "src/runtime/scheduler/fairness/thinning.h"

#include <gtest/gtest.h>

namespace jostle::rt {
namespace {

// Decisions among the next `events` memory accesses.
uint64_t decisions_in(Thinning& thinning, uint64_t& now, uint64_t events) {
  uint64_t decisions = 0;
  for (const uint64_t end = now + events; now < end; ++now) {
    if (thinning.active() && thinning.skips(true, now)) continue;
    thinning.decided(now);
    ++decisions;
  }
  return decisions;
}

TEST(Thinning, AnOrdinaryRunHasAllOfThem) {
  Thinning thinning;
  thinning.begin_run(1, 0);
  uint64_t now = 0;
  EXPECT_EQ(decisions_in(thinning, now, Thinning::kWindow - 1), Thinning::kWindow - 1);
  EXPECT_FALSE(thinning.active());
}

TEST(Thinning, ALongOneHasFewerAndFewer) {
  Thinning thinning;
  thinning.begin_run(1, 0);
  uint64_t now = 0;
  decisions_in(thinning, now, Thinning::kWindow);
  EXPECT_TRUE(thinning.active());
  const uint64_t first = decisions_in(thinning, now, 2'000'000);
  EXPECT_LT(first, 2'000'000 / 16);
  EXPECT_GT(first, 2'000'000 / 64);  // one in 32, on average
  decisions_in(thinning, now, 4'000'000);
  EXPECT_LT(decisions_in(thinning, now, 2'000'000), first);
}

TEST(Thinning, WhoLooksAtEveryStepSkipsNothing) {
  Thinning thinning;
  thinning.begin_run(1, channel::kLongRun * 10, true);
  uint64_t now = 0;
  EXPECT_EQ(decisions_in(thinning, now, 3 * Thinning::kWindow), 3 * Thinning::kWindow);
}

// Most runs of a long program have their window somewhere else, and all of it there.
TEST(Thinning, TheWindowIsDrawnOnceRunsAreKnownToBeLong) {
  constexpr uint64_t kLength = channel::kLongRun * 4;
  int elsewhere = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    Thinning thinning;
    thinning.begin_run(seed, kLength);
    if (!thinning.active()) continue;
    ++elsewhere;
    uint64_t now = 0;
    while (thinning.active() && now < 2 * kLength) decisions_in(thinning, now, 1);
    EXPECT_LT(now, kLength + kLength / 4) << seed;
    EXPECT_EQ(decisions_in(thinning, now, 1000), 1000u) << seed;
  }
  EXPECT_GT(elsewhere, 32);
  EXPECT_LT(elsewhere, 64);
}

TEST(Thinning, DecisionsInDetailAreCountedLikeOthers) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Thinning one, other;
    one.begin_run(seed, 10 * channel::kLongRun);
    other.begin_run(seed, 10 * channel::kLongRun);
    for (uint64_t event = 0; event < 5 * Thinning::kWindow; ++event) {
      ASSERT_EQ(one.skips(true, event), other.skips(true, event));
      if (one.skips(true, event)) continue;
      one.decided(event);
      other.is_in_detail() ? other.decided_in_detail() : static_cast<void>(other.decided(event));
      ASSERT_EQ(one.active(), other.active());
    }
  }
}

TEST(Thinning, SynchronisationIsDecidedAboutLonger) {
  Thinning thinning;
  thinning.begin_run(1, 0);
  uint64_t now = 0;
  decisions_in(thinning, now, Thinning::kWindow);
  ASSERT_TRUE(thinning.skips(true, now));
  EXPECT_FALSE(thinning.skips(false, now));
  EXPECT_NE(thinning.left(now), 0u);
  EXPECT_EQ(thinning.left(UINT64_MAX), 0u);
}

}  // namespace
}  // namespace jostle::rt
