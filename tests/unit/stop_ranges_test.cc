// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/stop_points/stop_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jostle::cli {
namespace {

using channel::kStopEntry;
using channel::kStopInside;
using channel::kStopLibrary;
using channel::kStopWeak;
using testing::ElementsAre;

struct Range {
  uint64_t begin, end;
  uint32_t kinds;
  bool operator==(const Range&) const = default;
};
void PrintTo(const Range& range, std::ostream* os) {
  *os << range.begin << "-" << range.end << ":" << range.kinds;
}

std::vector<Range> disjoint(const std::vector<StopPiece>& pieces) {
  std::vector<Range> ranges;
  for (const channel::StopRange& range : disjoint_ranges(pieces)) {
    ranges.push_back({range.begin, range.end, range.kinds});
  }
  return ranges;
}

constexpr uint32_t kBoth = kStopEntry | kStopInside;

TEST(StopRanges, AreSorted) {
  EXPECT_THAT(disjoint({{30, 40, 0, kBoth}, {10, 20, 0, kBoth}}),
              ElementsAre(Range{10, 20, kBoth}, Range{30, 40, kBoth}));
  EXPECT_THAT(disjoint({}), ElementsAre());
  EXPECT_THAT(disjoint({{10, 10, 0, kBoth}}), ElementsAre());
}

TEST(StopRanges, NeighboursOfOneKindAreOne) {
  EXPECT_THAT(disjoint({{10, 20, 0, kBoth}, {20, 30, 0, kBoth}}),
              ElementsAre(Range{10, 30, kBoth}));
  EXPECT_THAT(disjoint({{10, 20, 0, kBoth}, {20, 30, 0, kStopInside}}),
              ElementsAre(Range{10, 20, kBoth}, Range{20, 30, kStopInside}));
}

TEST(StopRanges, InlinedCopiesSplitWhatIsAround) {
  EXPECT_THAT(
      disjoint({{10, 40, 0, kStopEntry}, {20, 30, 1, kStopInside}}),
      ElementsAre(Range{10, 20, kStopEntry}, Range{20, 30, kBoth}, Range{30, 40, kStopEntry}));
  EXPECT_THAT(disjoint({{10, 40, 0, kBoth}, {10, 40, 1, kStopInside}}),
              ElementsAre(Range{10, 40, kBoth}));
}

TEST(StopRanges, AreWeakOnlyIfAllAre) {
  const uint32_t weak = kBoth | kStopWeak;
  EXPECT_THAT(disjoint({{10, 40, 0, weak}, {20, 30, 1, kStopInside}}),
              ElementsAre(Range{10, 20, weak}, Range{20, 30, kBoth}, Range{30, 40, weak}));
  EXPECT_THAT(disjoint({{10, 40, 0, weak}, {20, 30, 1, kStopInside | kStopWeak}}),
              ElementsAre(Range{10, 40, weak}));
}

TEST(StopRanges, TheDeeperOneKnowsBetter) {
  // Excluded, and inlined into one that is not.
  EXPECT_THAT(disjoint({{10, 40, 0, kStopInside}, {20, 30, 1, 0, kStopInside}}),
              ElementsAre(Range{10, 20, kStopInside}, Range{30, 40, kStopInside}));
  // Not excluded, and inlined into one that is.
  EXPECT_THAT(disjoint({{20, 30, 1, kStopInside}, {10, 40, 0, 0, kStopInside}}),
              ElementsAre(Range{20, 30, kStopInside}));
  // A weak one inside of an excluded one inside of a strong one.
  EXPECT_THAT(disjoint({{10, 40, 0, kStopInside},
                        {10, 40, 1, 0, kStopInside},
                        {10, 40, 2, kStopInside | kStopWeak}}),
              ElementsAre(Range{10, 40, kStopInside | kStopWeak}));
}

TEST(StopRanges, TheUsersCodeInsideOfTheLibrarysIsTheUsers) {
  EXPECT_THAT(disjoint({{10, 40, 0, kStopLibrary}, {20, 30, 1, 0, kStopLibrary}}),
              ElementsAre(Range{10, 20, kStopLibrary}, Range{30, 40, kStopLibrary}));
}

}  // namespace
}  // namespace jostle::cli
