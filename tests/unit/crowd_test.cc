// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/waits/crowd.h"

#include <gtest/gtest.h>

namespace jostle::rt {
namespace {

bool may_read(void*) { return true; }
bool may_write(void*) { return true; }
bool may_look(void*) { return true; }

TEST(CrowdedObject, HasACrowdForEachOfTwoChecks) {
  CrowdedObject lock;
  const ReadyCheck read{may_read, &lock, true}, write{may_write, &lock, true};
  Crowd* const readers = lock.crowd_of(read);
  ASSERT_NE(readers, nullptr);
  readers->members.insert(1);
  Crowd* const writers = lock.crowd_of(write);
  ASSERT_NE(writers, nullptr);
  EXPECT_NE(writers, readers);
  writers->members.insert(2);
  EXPECT_EQ(lock.crowd_of(read), readers);
  EXPECT_EQ(lock.crowd_of(write), writers);
  EXPECT_EQ(lock.crowd_of({may_look, &lock, true}), nullptr);
}

TEST(CrowdedObject, GivesTheRoomOfAnEmptyCrowdToAnotherCheck) {
  CrowdedObject lock;
  lock.crowd_of({may_read, &lock, true})->members.insert(1);
  Crowd* const writers = lock.crowd_of({may_write, &lock, true});
  writers->members.insert(2);
  writers->members.erase(2);
  EXPECT_EQ(lock.crowd_of({may_look, &lock, true}), writers);
}

TEST(CrowdedObject, TellsObjectsOfOneCheckApart) {
  CrowdedObject lock;
  int one = 0, other = 0;
  Crowd* const crowd = lock.crowd_of({may_read, &one, true});
  crowd->members.insert(1);
  EXPECT_NE(lock.crowd_of({may_read, &other, true}), crowd);
}

TEST(CrowdedObjects, AreFewAndBeginEmpty) {
  CrowdedObjects objects;
  EXPECT_FALSE(objects.any());
  uintptr_t address = 0x1000;
  while (CrowdedObject* added = objects.add(address)) {
    EXPECT_EQ(objects.find(address), added);
    added->outside = 5;
    added->crowds[0].members.insert(7);
    address += 8;
  }
  EXPECT_GT(address, 0x1000u);
  EXPECT_EQ(objects.find(address), nullptr);

  objects.clear();
  EXPECT_EQ(objects.find(0x1000), nullptr);
  const CrowdedObject* again = objects.add(address);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->outside, 0u);
  EXPECT_EQ(again->crowds[0].members.count(), 0u);
}

}  // namespace
}  // namespace jostle::rt
