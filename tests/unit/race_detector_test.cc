// SPDX-License-Identifier: Apache-2.0
// The race detector's state machine: clocks of threads and objects, release sequences, fences, and
// which accesses of a granule are kept.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "src/runtime/race/detector.h"

namespace jostle::race {
namespace {

constexpr uintptr_t kX = 0x1000, kY = 0x2000, kFlag = 0x3000, kLock = 0x4000;

class RaceDetector : public testing::Test {
 protected:
  // Thread 0 has made threads 1, 2 and 3.
  RaceDetector() {
    detector().begin_run(0, found, this);
    for (uint32_t child = 1; child <= 3; ++child) detector().create(0, child);
  }

  // Its tables are large and, as in the target, made once.
  static Detector& detector() {
    static auto* one = new Detector;
    return *one;
  }
  static void found(void* self, const Access& earlier, const Access& later) {
    static_cast<RaceDetector*>(self)->found_.emplace_back(earlier, later);
  }

  void read(uint32_t thread, uintptr_t address, uint32_t size = 8) {
    detector().access(thread, address, size, kRead, 100 + thread, 0);
  }
  void write(uint32_t thread, uintptr_t address, uint32_t size = 8) {
    detector().access(thread, address, size, kWrite, 200 + thread, 0);
  }
  void atomic(uint32_t thread, uintptr_t address, uint8_t kind) {
    detector().access(thread, address, 4, kAtomic | kind, 300 + thread, 0);
  }
  size_t races() const { return found_.size(); }

  std::vector<std::pair<Access, Access>> found_;
};

TEST_F(RaceDetector, ReportsBothAccesses) {
  write(1, kX + 2, 2);
  read(2, kX, 4);
  ASSERT_EQ(races(), 1u);
  const auto& [earlier, later] = found_[0];
  EXPECT_EQ(earlier.thread, 1u);
  EXPECT_EQ(earlier.kind, kWrite);
  EXPECT_EQ(earlier.size, 2u);
  EXPECT_EQ(earlier.pc, 201u);
  EXPECT_EQ(later.thread, 2u);
  EXPECT_EQ(later.kind, kRead);
  EXPECT_EQ(later.address, kX + 2);
}

TEST_F(RaceDetector, ReadsDoNotConflict) {
  read(1, kX);
  read(2, kX);
  EXPECT_EQ(races(), 0u);
  write(3, kX);
  EXPECT_EQ(races(), 2u);
}

// More than are looked through one by one: what later ones know of is dropped, and nothing else.
TEST_F(RaceDetector, ACrowdAtOneAtomicIsOrderedByIt) {
  constexpr uint32_t kCrowd = 200;
  for (uint32_t child = 4; child < kCrowd; ++child) detector().create(0, child);
  for (uint32_t thread = 1; thread < kCrowd; ++thread) {
    write(thread, 0x10000 + 8 * thread);
    atomic(thread, kFlag, kWrite);
    detector().atomic_rmw(thread, kFlag, kAcquireRelease);
  }
  EXPECT_EQ(races(), 0u);
  for (uint32_t thread = 1; thread < kCrowd; ++thread) {
    read(kCrowd - 1, 0x10000 + 8 * thread);  // the last one has acquired from everybody
  }
  read(kCrowd - 1, kFlag, 4);
  EXPECT_EQ(races(), 0u);
  read(1, 0x10000 + 16);  // … the first from nobody
  EXPECT_EQ(races(), 1u);
  read(0, kFlag, 4);  // main has not waited for any: at least the last one counts
  EXPECT_GT(races(), 1u);
}

TEST_F(RaceDetector, WhatARunKnewIsGoneInTheNext) {
  for (uint32_t child = 4; child < 40; ++child) detector().create(0, child);
  for (uint32_t thread = 1; thread < 40; ++thread) {
    detector().atomic_rmw(thread, kFlag, kAcquireRelease);
  }
  detector().begin_run(0, found, this);
  for (uint32_t child = 1; child < 40; ++child) detector().create(0, child);
  for (uint32_t thread = 1; thread < 40; ++thread) write(thread, kX);
  EXPECT_EQ(races(), 38u);  // each with the one before
}

TEST_F(RaceDetector, BytesOfAWordAreApart) {
  for (uint32_t i = 0; i < 3; ++i) write(i + 1, kX + i, 1);
  EXPECT_EQ(races(), 0u);
  write(1, kX, 4);
  EXPECT_EQ(races(), 2u);
}

TEST_F(RaceDetector, RangesMeetWhereTheyOverlap) {
  write(1, kX + 3, 20);
  read(2, kX + 23, 8);
  EXPECT_EQ(races(), 0u);
  read(2, kX + 22, 1);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, CreatingAndJoiningOrder) {
  write(0, kX);
  detector().create(0, 4);
  write(4, kX);
  EXPECT_EQ(races(), 0u);
  detector().finish(4);
  detector().join(0, 4);
  write(0, kX);
  EXPECT_EQ(races(), 0u);
  write(1, kX);  // made before all that
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, SlotsAreReusedOnlyByThoseWhoKnowOfTheEnd) {
  write(1, kX);
  detector().finish(1);
  detector().create(0, 4);  // thread 0 has not joined 1
  write(4, kX);
  EXPECT_EQ(races(), 1u);
  detector().finish(4);
  detector().join(0, 4);
  detector().create(0, 5);  // in the slot of 4
  write(5, kX);
  EXPECT_EQ(races(), 1u);
  write(2, kX);
  EXPECT_EQ(races(), 2u);
}

TEST_F(RaceDetector, TenThousandThreadsInARow) {
  for (uint32_t child = 4; child < 10'000; ++child) {
    detector().create(0, child);
    write(child, kX);
    detector().finish(child);
    detector().join(0, child);
  }
  EXPECT_TRUE(detector().active());
  EXPECT_EQ(races(), 0u);
}

TEST_F(RaceDetector, LocksOrder) {
  detector().acquire(1, kLock);
  write(1, kX);
  detector().release(1, kLock);
  write(1, kY);  // behind the release
  detector().acquire(2, kLock);
  write(2, kX);
  EXPECT_EQ(races(), 0u);
  write(2, kY);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, ReleaseAndAcquireOrder) {
  write(1, kX);
  detector().atomic_store(1, kFlag, kRelease);
  detector().atomic_load(2, kFlag, kAcquire);
  read(2, kX);
  EXPECT_EQ(races(), 0u);
  detector().atomic_load(3, kFlag, kRelaxed);
  read(3, kX);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, ReadModifyWritesGoOnWithTheSequence) {
  write(1, kX);
  detector().atomic_store(1, kFlag, kRelease);
  detector().atomic_rmw(2, kFlag, kRelaxed);
  detector().atomic_load(3, kFlag, kAcquire);
  read(3, kX);
  EXPECT_EQ(races(), 0u);
}

TEST_F(RaceDetector, RelaxedStoresEndTheSequence) {
  write(1, kX);
  detector().atomic_store(1, kFlag, kRelease);
  detector().atomic_store(1, kFlag, kRelaxed);
  detector().atomic_load(2, kFlag, kAcquire);
  read(2, kX);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, Fences) {
  write(1, kX);
  detector().fence(1, kRelease);
  write(1, kY);
  detector().atomic_store(1, kFlag, kRelaxed);
  detector().atomic_load(2, kFlag, kRelaxed);
  detector().fence(2, kAcquire);
  read(2, kX);
  EXPECT_EQ(races(), 0u);
  read(2, kY);  // written behind the fence
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, NeighbouringAtomicsAreApart) {
  write(1, kX);
  detector().atomic_store(1, kFlag, kRelease);
  detector().atomic_store(1, kFlag + 4, kRelaxed);
  detector().atomic_load(2, kFlag + 4, kAcquire);
  read(2, kX);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, WhatWasNotSeenCountsAsReleased) {
  write(1, kX);
  detector().assume_released(1, kFlag);
  write(1, kY);
  detector().atomic_load(2, kFlag + 4, kAcquire);
  read(2, kX);
  EXPECT_EQ(races(), 0u);
  read(2, kY);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, AtomicsConflictWithPlainAccessesOnly) {
  atomic(1, kFlag, kWrite);
  atomic(2, kFlag, kWrite);
  atomic(3, kFlag, kRead);
  EXPECT_EQ(races(), 0u);
  read(0, kFlag, 4);
  EXPECT_EQ(races(), 2u);
  write(0, kFlag, 4);  // with all three of them
  EXPECT_EQ(races(), 5u);
}

TEST_F(RaceDetector, APlainReadIsNotHiddenByALaterAtomicOne) {
  read(1, kFlag, 4);
  atomic(1, kFlag, kRead);
  atomic(2, kFlag, kWrite);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, FreshMemoryHasNoPast) {
  write(1, kX);
  write(1, kX + 8);
  detector().forget(kX, 12);
  write(2, kX, 8);
  write(2, kX + 8, 4);
  EXPECT_EQ(races(), 0u);
  write(2, kX + 12, 4);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, WhatIsTakenBackHasNotHappened) {
  write(1, kX + 4, 8);
  const Access taken = detector().take_back(1, kX + 8);
  EXPECT_EQ(taken.address, kX + 4);
  EXPECT_EQ(taken.size, 8u);
  EXPECT_EQ(taken.kind, kWrite);
  EXPECT_EQ(taken.pc, 201u);
  write(2, kX, 8);
  write(2, kX + 8, 8);
  EXPECT_EQ(races(), 0u);
}

TEST_F(RaceDetector, OnlyTheNewestOfTheSameThreadIsTakenBack) {
  write(1, kX);
  EXPECT_EQ(detector().take_back(2, kX).size, 0u);
  detector().release(1, kLock);  // time goes on
  EXPECT_EQ(detector().take_back(1, kX).size, 0u);
  write(2, kX);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, ANewRunHasNoPast) {
  write(1, kX);
  detector().atomic_store(1, kFlag, kRelease);
  detector().begin_run(0, found, this);
  detector().create(0, 1);
  detector().create(0, 2);
  write(2, kX);
  EXPECT_EQ(races(), 0u);
  write(1, kX);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceDetector, MoreThreadsThanThereIsRoomForEndIt) {
  for (uint32_t child = 4; child < 3000; ++child) detector().create(0, child);
  EXPECT_FALSE(detector().active());
  write(1, kX);
  write(2999, kX);
  EXPECT_EQ(races(), 0u);
}

}  // namespace
}  // namespace jostle::race
