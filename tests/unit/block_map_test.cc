// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/heap/block_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace jostle::rt {
namespace {

class BlockMapTest : public testing::Test {
 protected:
  BlockMapTest() { map_.attach(words_.data(), kBase); }

  uintptr_t find(uintptr_t address, uintptr_t farthest = 1 << 16) const {
    return map_.find(address, farthest, [](uintptr_t) { return true; });
  }

  static constexpr uintptr_t kBase = 0x10000;
  std::vector<uint64_t> words_ = std::vector<uint64_t>(1 << 10);
  BlockMap map_;
};

TEST_F(BlockMapTest, FindsTheNearestBeginning) {
  map_.add(kBase + 64);
  map_.add(kBase + 128);
  EXPECT_EQ(find(kBase + 63), 0u);
  EXPECT_EQ(find(kBase + 64), kBase + 64);
  EXPECT_EQ(find(kBase + 127), kBase + 64);
  EXPECT_EQ(find(kBase + 128), kBase + 128);
  EXPECT_EQ(find(kBase + 1000), kBase + 128);
}

TEST_F(BlockMapTest, LooksAcrossWords) {
  constexpr uintptr_t kWord = 64 * BlockMap::kUnit;
  map_.add(kBase);
  map_.add(kBase + 3 * kWord - BlockMap::kUnit);  // the last bit of a word
  EXPECT_EQ(find(kBase + 2 * kWord), kBase);
  EXPECT_EQ(find(kBase + 3 * kWord), kBase + 3 * kWord - BlockMap::kUnit);
  EXPECT_EQ(find(kBase + 20 * kWord), kBase + 3 * kWord - BlockMap::kUnit);
}

TEST_F(BlockMapTest, DoesNotLookFartherThanAsked) {
  map_.add(kBase);
  EXPECT_EQ(find(kBase + 60'000), kBase);
  EXPECT_EQ(find(kBase + 60'000, 4096), 0u);
}

TEST_F(BlockMapTest, PassesByWhatDoesNotFit) {
  map_.add(kBase + 16);
  map_.add(kBase + 48);
  map_.add(kBase + 64);
  const uintptr_t found =
      map_.find(kBase + 100, 4096, [](uintptr_t at) { return at == kBase + 16; });
  EXPECT_EQ(found, kBase + 16);
}

}  // namespace
}  // namespace jostle::rt
