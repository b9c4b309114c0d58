// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/heap_text.h"

#include <gtest/gtest.h>

namespace jostle::report {
namespace {

std::string place(uint64_t offset, uint64_t size, bool freed = false) {
  channel::ObjectRecord object{};
  object.region = channel::Region::heap;
  object.offset = offset;
  object.size = size;
  object.freed = freed;
  return place_in_block(object);
}

TEST(HeapText, PlacesInAndAroundABlock) {
  EXPECT_EQ(place(0, 64), "the beginning of a heap block of 64 bytes");
  EXPECT_EQ(place(8, 64, true), "byte 8 of a freed heap block of 64 bytes");
  EXPECT_EQ(place(64, 64), "right behind a heap block of 64 bytes");
  EXPECT_EQ(place(72, 64), "8 bytes behind a heap block of 64 bytes");
  EXPECT_EQ(place(uint64_t{0} - 1, 64), "1 byte before a heap block of 64 bytes");
}

}  // namespace
}  // namespace jostle::report
