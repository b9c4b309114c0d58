// SPDX-License-Identifier: Apache-2.0
// Which operations of a run read stale stores: few, at places that were learned.
#include "src/runtime/weak/stale_draw.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace jostle::weak {
namespace {

constexpr ChoiceKind kReads = ChoiceKind::stale, kStores = ChoiceKind::place;

TEST(StaleDraw, HalfOfTheRunsHaveNone) {
  Rng rng(1);
  std::map<uint32_t, int> counts;
  for (int i = 0; i < 8000; ++i) ++counts[StaleDraw::draw_count(rng)];
  EXPECT_NEAR(counts[0], 4000, 300);
  EXPECT_NEAR(counts[1], 2000, 300);
  EXPECT_NEAR(counts[2], 1000, 200);
  EXPECT_NEAR(counts[3], 1000, 200);
}

TEST(StaleDraw, WithoutKnownPlacesNothingIsStale) {
  StaleDraw draw;
  draw.begin_run(1, 3, StoreSites());
  for (uint32_t nth = 0; nth < 100; ++nth) EXPECT_EQ(draw.choose(kReads, 7, nth, 4), 0u);
}

// A place that is passed once has as good a chance as one in a loop.
TEST(StaleDraw, EveryPlaceHasItsChance) {
  StoreSites known;
  const channel::StoreSite sites[] = {{10, 1, kReads}, {20, 10'000, kReads}, {30, 3, kStores}};
  known.learn(sites, 3);
  std::map<uint64_t, int> hits;
  std::set<uint32_t> picked;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    StaleDraw draw;
    draw.begin_run(seed, 1, known);
    uint32_t here = 0;
    for (const channel::StoreSite& site : sites) {
      for (uint32_t nth = 0; nth < site.count; ++nth) {
        const uint32_t which = draw.choose(site.kind, site.location, nth, 4);
        if (which == 0) continue;
        ++here;
        ++hits[site.location];
        picked.insert(which);
      }
    }
    EXPECT_EQ(here, 1u);
  }
  EXPECT_NEAR(hits[10], 875, 120);
  EXPECT_NEAR(hits[20], 875, 120);
  EXPECT_NEAR(hits[30], 250, 80);
  EXPECT_EQ(picked, (std::set<uint32_t>{1, 2, 3}));
}

TEST(StaleDraw, LearnsTheLongestRun) {
  StoreSites known;
  const channel::StoreSite first[] = {{10, 4, kReads}},
                           second[] = {{10, 2, kReads}, {11, 1, kReads}};
  known.learn(first, 1);
  known.learn(second, 2);
  ASSERT_EQ(known.count(), 2u);
  EXPECT_EQ(known[0].count, 4u);
  // More than there is room for are not learned.
  for (uint64_t i = 100; i < 300; ++i) {
    const channel::StoreSite more = {i, 1, kReads};
    known.learn(&more, 1);
  }
  EXPECT_EQ(known.count(), channel::kMaxStoreSites);
}

}  // namespace
}  // namespace jostle::weak
