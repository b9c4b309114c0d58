// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/semaphore.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace jostle::sync {
namespace {

class SemaphoreObject {
 public:
  explicit SemaphoreObject(unsigned value) {
    memset(&object_, 0xAA, sizeof object_);
    EXPECT_EQ(sem_init(&object_, 0, value), 0);
    initialise(*this);
  }
  operator Semaphore&() { return state_of(&object_); }
  sem_t* posix() { return &object_; }

 private:
  sem_t object_;
};

TEST(Semaphore, CountsDownToZero) {
  SemaphoreObject semaphore(2);
  EXPECT_TRUE(can_take(semaphore));
  EXPECT_EQ(try_take(semaphore), 0);
  EXPECT_EQ(try_take(semaphore), 0);
  EXPECT_FALSE(can_take(semaphore));
  EXPECT_EQ(try_take(semaphore), EAGAIN);
}

TEST(Semaphore, PostMakesItReady) {
  SemaphoreObject semaphore(0);
  EXPECT_FALSE(can_take(semaphore));
  EXPECT_EQ(post(semaphore), 0);
  EXPECT_TRUE(can_take(semaphore));
}

TEST(Semaphore, Overflow) {
  SemaphoreObject semaphore(SEM_VALUE_MAX);
  EXPECT_EQ(post(semaphore), EOVERFLOW);
  EXPECT_EQ(try_take(semaphore), 0);
  EXPECT_EQ(post(semaphore), 0);
}

TEST(Semaphore, ValueIsWhereTheRealLibcHasIt) {
  SemaphoreObject semaphore(1);
  post(semaphore);
  int value = 0;
  EXPECT_EQ(sem_getvalue(semaphore.posix(), &value), 0);
  EXPECT_EQ(value, 2);
  sem_post(semaphore.posix());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(try_take(semaphore), 0);
  EXPECT_EQ(sem_trywait(semaphore.posix()), -1);
}

TEST(Semaphore, DestroyedUntilInitialisedAgain) {
  SemaphoreObject semaphore(1);
  EXPECT_FALSE(is_destroyed(semaphore));
  destroy(semaphore);
  EXPECT_TRUE(is_destroyed(semaphore));
  sem_init(semaphore.posix(), 0, 1);
  initialise(semaphore);
  EXPECT_FALSE(is_destroyed(semaphore));
}

}  // namespace
}  // namespace jostle::sync
