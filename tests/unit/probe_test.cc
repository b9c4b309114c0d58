// SPDX-License-Identifier: Apache-2.0
#include "src/base/probe.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "src/base/index_table.h"
#include "src/schedule/search/shared_slots.h"

namespace jostle {
namespace {

std::vector<uint64_t> looked_at(uint64_t hash, uint64_t size, uint64_t end) {
  std::vector<uint64_t> places;
  probe(hash, size, [&](uint64_t place) {
    places.push_back(place);
    return place == end;
  });
  return places;
}

TEST(Probe, LooksFromThePlaceOfTheHashOn) {
  EXPECT_EQ(looked_at(2, 8, 2), (std::vector<uint64_t>{2}));
  EXPECT_EQ(looked_at(8 + 2, 8, 4), (std::vector<uint64_t>{2, 3, 4}));
}

TEST(Probe, GoesOnBehindTheEndAtTheBeginning) {
  EXPECT_EQ(looked_at(6, 8, 1), (std::vector<uint64_t>{6, 7, 0, 1}));
  EXPECT_EQ(looked_at(3, 4, 2), (std::vector<uint64_t>{3, 0, 1, 2}));
  EXPECT_EQ(looked_at(12345, 1, 0), (std::vector<uint64_t>{0}));
}

#ifdef JOSTLE_CHECKS
TEST(Probe, DoesNotGoRoundForEver) { EXPECT_DEATH(looked_at(3, 8, 9), "place != first"); }
TEST(Probe, WantsAPowerOfTwo) { EXPECT_DEATH(looked_at(3, 6, 0), "size"); }
#endif

TEST(IndexTable, FindsEntriesOfOneHash) {
  const std::vector<int> entries = {10, 11, 12};
  const auto same_hash = [](uint32_t) { return 63; };  // the last of the first 64 places
  IndexTable table;
  for (uint32_t i = 0; i < entries.size(); ++i) table.add(i, same_hash);
  const auto find = [&](int entry) {
    return table.find(63, [&](uint32_t i) { return entries[i] == entry; });
  };
  EXPECT_EQ(find(10), 0u);
  EXPECT_EQ(find(12), 2u);
  EXPECT_EQ(find(13), IndexTable::kNotThere);
  table.clear();
  EXPECT_EQ(find(10), IndexTable::kNotThere);
}

class SharedSlots : public testing::Test {
 protected:
  ClaimedSlot claim(uint64_t value, bool has_room = true) {
    return claim_slot(
        value, value, 4, [&](uint64_t i) -> auto& { return slots_[i]; }, [&] { return has_room; });
  }
  std::atomic<uint64_t> slots_[4] = {};
};

TEST_F(SharedSlots, BelongToTheirFirstValue) {
  const ClaimedSlot first = claim(3);
  EXPECT_EQ(first.state, SlotState::is_new);
  EXPECT_EQ(first.slot, 3u);
  const ClaimedSlot second = claim(7);
  EXPECT_EQ(second.state, SlotState::is_new);
  EXPECT_EQ(second.slot, 0u);
  EXPECT_EQ(claim(7).state, SlotState::there);
  EXPECT_EQ(claim(7).slot, 0u);
}

TEST_F(SharedSlots, AreFoundAlsoWhenThereIsNoRoom) {
  claim(3);
  EXPECT_EQ(claim(7, false).state, SlotState::no_room);
  EXPECT_EQ(claim(3, false).state, SlotState::there);
  EXPECT_EQ(claim(7).state, SlotState::is_new);
}

}  // namespace
}  // namespace jostle
