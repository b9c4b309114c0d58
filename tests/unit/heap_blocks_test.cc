// SPDX-License-Identifier: Apache-2.0
// Size classes of the target's heap.
#include "src/runtime/heap/heap_blocks.h"

#include <gtest/gtest.h>

namespace jostle::rt::heap {
namespace {

TEST(HeapBlocks, EverySizeFitsIntoItsClassAndIntoNoneBelow) {
  const auto expect_fits = [](size_t size) {
    const uint32_t size_class = class_of(size);
    ASSERT_LT(size_class, kClasses) << size;
    EXPECT_LE(size, capacity_of(size_class)) << size;
    if (size_class != 0) {
      EXPECT_GT(size, capacity_of(size_class - 1)) << size;
    }
  };
  for (size_t size = 1; size < 70'000; ++size) expect_fits(size);
  for (int log = 17; log < 46; ++log) {
    for (size_t quarter = 4; quarter < 8; ++quarter) {
      const size_t edge = quarter << (log - 2);
      for (const size_t size : {edge - 1, edge, edge + 1}) expect_fits(size);
    }
  }
}

TEST(HeapBlocks, NothingIsABlockToo) { EXPECT_EQ(class_of(0), class_of(1)); }

TEST(HeapBlocks, BlocksStayAligned) {
  for (uint32_t size_class = 0; size_class < kClasses; ++size_class) {
    EXPECT_EQ(capacity_of(size_class) % 16, 0u) << size_class;
  }
}

// At most a quarter is lost.
TEST(HeapBlocks, ClassesAreNotFarApart) {
  for (uint32_t size_class = kSmallClasses; size_class < kClasses; ++size_class) {
    EXPECT_LE(capacity_of(size_class), capacity_of(size_class - 1) * 5 / 4) << size_class;
  }
}

TEST(HeapBlocks, AnAlignedBlockKnowsWhereItCameFrom) {
  alignas(64) char memory[256] = {};
  auto* first = reinterpret_cast<Header*>(memory);
  first->state = kLive;
  EXPECT_EQ(origin_of(first), first);
  auto* moved = reinterpret_cast<Header*>(memory + 96);
  *moved = {begin_of(moved) - begin_of(first), kMoved, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(origin_of(moved), first);
  // Of what the first was given, the program has what lies behind.
  first->size = 96 + 40;
  first->steps_before = 96 / 16;
  EXPECT_EQ(begin_of(first) + bytes_before(first), begin_of(moved));
  EXPECT_EQ(asked_size(first), 40u);
}

}  // namespace
}  // namespace jostle::rt::heap
