// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/weak/load_buffering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "src/runtime/weak/weak_memory.h"

namespace jostle::weak {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uintptr_t kX = 0x1000, kY = 0x2000;
constexpr Strength kRelaxed = {}, kAcquires = {race::kAcquire}, kReleases = {race::kRelease};

// Two threads, 1 and 2, that read and write the newest. The site of a load is its number.
class LoadBufferingTest : public testing::Test {
 protected:
  LoadBufferingTest() {
    detector_.begin_run(0, nullptr, nullptr);
    memory_.begin_run(detector_);
    late_.begin_run(detector_, 0);
    detector_.create(0, 1);
    detector_.create(0, 2);
  }

  void load(uint32_t thread, uintptr_t address, Strength strength, uint64_t site = 0) {
    History& history = at(address);
    late_.loaded(thread, address, memory_.read(thread, history, history.last(), strength), site);
  }
  // Which loads could have read it.
  std::vector<uint64_t> store(uint32_t thread, uintptr_t address, Strength strength) {
    History& history = at(address);
    memory_.write(thread, history, history.count, ++value(address), strength);
    return stored(thread, address, history);
  }
  std::vector<uint64_t> modify(uint32_t thread, uintptr_t address, Strength strength) {
    History& history = at(address);
    late_.loaded(thread, address, history.newest(), 99);
    memory_.modify(thread, history, history.last(), ++value(address), strength);
    return stored(thread, address, history);
  }

  race::Detector detector_;
  WeakMemory memory_;
  LoadBuffering late_;

 private:
  uint64_t& value(uintptr_t address) { return address == kX ? x_ : y_; }
  History& at(uintptr_t address) { return *memory_.find(address, 4, value(address)); }
  std::vector<uint64_t> stored(uint32_t thread, uintptr_t address, const History& history) {
    std::vector<uint64_t> loads;
    late_.stored(thread, address, history, [&](uint64_t site) { loads.push_back(site); });
    return loads;
  }

  uint64_t x_ = 0, y_ = 0;
};

// r = x; y = 1 beside s = y; x = 1.
TEST_F(LoadBufferingTest, IsFoundBetweenRelaxedOperations) {
  load(1, kX, kRelaxed, 7);
  store(1, kY, kRelaxed);
  load(2, kY, kRelaxed);
  EXPECT_THAT(store(2, kX, kRelaxed), ElementsAre(7));
}

TEST_F(LoadBufferingTest, IsForbiddenByReleaseAndAcquire) {
  load(1, kX, kRelaxed, 7);
  store(1, kY, kReleases);
  load(2, kY, kAcquires);
  EXPECT_THAT(store(2, kX, kRelaxed), IsEmpty());
}

TEST_F(LoadBufferingTest, NeedsBothOfThem) {
  load(1, kX, kRelaxed, 7);
  store(1, kY, kReleases);
  load(2, kY, kRelaxed);
  EXPECT_THAT(store(2, kX, kRelaxed), ElementsAre(7));
}

// Nothing leads from the load to the store: it could be executed first, which the model has.
TEST_F(LoadBufferingTest, IsNoneWhereTheStoreCouldComeFirst) {
  load(1, kX, kRelaxed, 7);
  EXPECT_THAT(store(2, kX, kRelaxed), IsEmpty());
}

// Its thread has stored there itself since: what comes behind that in the modification order is
// nothing that the load could have read.
TEST_F(LoadBufferingTest, IsForbiddenByCoherence) {
  load(1, kX, kRelaxed, 7);
  EXPECT_THAT(modify(1, kX, kRelaxed), IsEmpty());
  EXPECT_THAT(modify(2, kX, kRelaxed), IsEmpty());
  EXPECT_THAT(modify(1, kX, kRelaxed), IsEmpty());
}

// By a lock: what is known by relaxed loads goes on through it.
TEST_F(LoadBufferingTest, GoesThroughSynchronisation) {
  constexpr uintptr_t kLock = 0x3000;
  detector_.create(0, 3);
  load(1, kX, kRelaxed, 7);
  store(1, kY, kRelaxed);
  load(2, kY, kRelaxed);
  detector_.release(2, kLock);
  detector_.acquire(3, kLock);
  EXPECT_THAT(store(3, kX, kRelaxed), ElementsAre(7));
}

TEST_F(LoadBufferingTest, IsForbiddenByALock) {
  constexpr uintptr_t kLock = 0x3000;
  load(1, kX, kRelaxed, 7);
  detector_.release(1, kLock);
  detector_.acquire(2, kLock);
  EXPECT_THAT(store(2, kX, kRelaxed), IsEmpty());
}

}  // namespace
}  // namespace jostle::weak
