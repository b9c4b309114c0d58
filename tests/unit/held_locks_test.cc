// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/held_locks.h"

#include <gtest/gtest.h>

#include <vector>

namespace jostle::rt {
namespace {

constexpr uint32_t kMany = 1000;

uintptr_t object(uint32_t i) { return 0x1000 + 64 * i; }

void add(HeldLocks& held, uint32_t i) { held.add(object(i), OpKind::mutex_lock, i); }

std::vector<uintptr_t> objects(const HeldLocks& held) {
  std::vector<uintptr_t> all;
  for (uint32_t i = 0; i < held.count(); ++i) all.push_back(held[i].object);
  return all;
}

TEST(HeldLocks, KnowsEachOfMany) {
  HeldLocks held;
  for (uint32_t i = 0; i < kMany; ++i) add(held, i);
  ASSERT_EQ(held.count(), kMany);
  for (uint32_t i = 0; i < kMany; ++i) {
    EXPECT_EQ(held[i].object, object(i));
    EXPECT_EQ(held[i].pc, i);
    EXPECT_TRUE(held.holds(object(i)));
  }
  EXPECT_FALSE(held.holds(object(kMany)));
}

TEST(HeldLocks, RemovesFromAnywhereInOrder) {
  for (const uint32_t count : {3u, 32u, 33u, 100u}) {
    HeldLocks held;
    std::vector<uintptr_t> expected;
    for (uint32_t i = 0; i < count; ++i) {
      add(held, i);
      expected.push_back(object(i));
    }
    for (const uint32_t at : {count / 2, 0u, count - 3}) {
      EXPECT_NE(held.remove(expected[at]), OpKind::none);
      EXPECT_FALSE(held.holds(expected[at]));
      EXPECT_EQ(held.remove(expected[at]), OpKind::none);
      expected.erase(expected.begin() + at);
      EXPECT_EQ(objects(held), expected);
    }
  }
}

TEST(HeldLocks, UndoesTheLatestAcquisition) {
  HeldLocks held;
  held.add(1, OpKind::rwlock_read, 10);
  held.add(2, OpKind::mutex_lock, 20);
  held.add(1, OpKind::rwlock_read, 30);
  EXPECT_NE(held.remove(1), OpKind::none);
  EXPECT_EQ(objects(held), (std::vector<uintptr_t>{1, 2}));
  EXPECT_EQ(held[0].pc, 10u);
}

TEST(HeldLocks, EachEntryKeepsItsOwnStack) {
  channel::Stack stacks[3];
  HeldLocks held;
  for (uint32_t i = 0; i < 3; ++i) held.add(object(i), OpKind::mutex_lock, i).stack = &stacks[i];
  held.remove(object(0));
  EXPECT_EQ(held[0].stack, &stacks[1]);
  EXPECT_EQ(held[1].stack, &stacks[2]);
  EXPECT_EQ(held.add(object(3), OpKind::mutex_lock, 3).stack, &stacks[0]) << "free again";
}

TEST(HeldLocks, ACopyHoldsTheSame) {
  HeldLocks held, copy;
  add(copy, 9);
  copy = held;
  EXPECT_EQ(copy.count(), 0u);
  for (const uint32_t count : {1u, 3u, kMany}) {
    while (held.count() < count) add(held, held.count());
    copy = held;
    EXPECT_EQ(objects(copy), objects(held));
  }
}

TEST(HeldLocks, TheNextThreadGetsTheStorage) {
  HeldLocks held;
  for (uint32_t i = 0; i < kMany; ++i) add(held, i);
  const HeldLocks::Entry* first = &held[0];
  const HeldLocks::Storage storage = held.storage();
  held = HeldLocks{};
  held.attach(storage);
  EXPECT_EQ(held.count(), 0u);
  for (uint32_t i = 0; i < kMany; ++i) add(held, i);
  EXPECT_EQ(&held[0], first);
}

}  // namespace
}  // namespace jostle::rt
