// SPDX-License-Identifier: Apache-2.0
// Which read brought a value that is compared.
#include "src/runtime/scheduler/fairness/recent_reads.h"

#include <gtest/gtest.h>

namespace jostle::rt {
namespace {

Operation read_of(uintptr_t object, uint32_t size) {
  return {.kind = OpKind::read, .size = size, .object = object, .pc = object + 1};
}

TEST(RecentReads, TheLastOneThatSawTheValue) {
  RecentReads reads;
  reads.add(1, read_of(0x100, 8), 42);
  reads.add(1, read_of(0x200, 8), 42);
  reads.add(1, read_of(0x300, 8), 43);
  const RecentRead* found = reads.find(1, 42, 8);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->object, 0x200u);
  EXPECT_EQ(reads.find(1, 44, 8), nullptr);
}

TEST(RecentReads, OfTheSameThread) {
  RecentReads reads;
  reads.add(1, read_of(0x100, 8), 42);
  EXPECT_EQ(reads.find(2, 42, 8), nullptr);
}

// A byte is compared as an int: only what both have counts.
TEST(RecentReads, AsFarAsBothGo) {
  RecentReads reads;
  reads.add(1, read_of(0x100, 1), 0xFF);
  EXPECT_NE(reads.find(1, 0xFFFFFFFF, 4), nullptr);
  reads.add(1, read_of(0x200, 4), 0x12345678);
  EXPECT_NE(reads.find(1, 0x78, 1), nullptr);
  EXPECT_EQ(reads.find(1, 0x79, 1), nullptr);
}

TEST(RecentReads, OldOnesAndCopiesAreForgotten) {
  RecentReads reads;
  reads.add(1, read_of(0x100, 8), 42);
  reads.add(1, read_of(0x200, 64), 7);  // a copy of more than a word
  EXPECT_EQ(reads.find(1, 7, 8), nullptr);
  for (uint64_t i = 0; i < 16; ++i) reads.add(1, read_of(0x300, 8), 1000 + i);
  EXPECT_EQ(reads.find(1, 42, 8), nullptr);
  reads.clear();
  EXPECT_EQ(reads.find(1, 1000, 8), nullptr);
}

}  // namespace
}  // namespace jostle::rt
