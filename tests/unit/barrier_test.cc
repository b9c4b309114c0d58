// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/barrier.h"

#include <gtest/gtest.h>

#include <climits>

namespace jostle::sync {
namespace {

class BarrierObject {
 public:
  explicit BarrierObject(unsigned size) {
    EXPECT_EQ(pthread_barrier_init(&object_, nullptr, size), 0);
  }
  operator Barrier&() { return state_of(&object_); }
  Barrier* operator->() { return &state_of(&object_); }
  pthread_barrier_t* posix() { return &object_; }

 private:
  pthread_barrier_t object_;
};

TEST(Barrier, LastToArriveCompletesTheRound) {
  BarrierObject barrier(3);
  EXPECT_EQ(waiting(barrier), 0u);
  EXPECT_FALSE(arrive(barrier));
  EXPECT_FALSE(arrive(barrier));
  EXPECT_EQ(waiting(barrier), 2u);
  EXPECT_TRUE(arrive(barrier));
  EXPECT_EQ(waiting(barrier), 0u);
}

TEST(Barrier, RoundAfterRound) {
  BarrierObject barrier(2);
  for (int round = 0; round < 5; ++round) {
    EXPECT_FALSE(arrive(barrier));
    EXPECT_TRUE(arrive(barrier));
  }
}

TEST(Barrier, OfOne) {
  BarrierObject barrier(1);
  EXPECT_TRUE(arrive(barrier));
  EXPECT_TRUE(arrive(barrier));
}

TEST(Barrier, CountersWrapAround) {
  BarrierObject barrier(3);
  barrier->arrivals = barrier->round_end = UINT_MAX - 1;
  EXPECT_FALSE(arrive(barrier));
  EXPECT_FALSE(arrive(barrier));
  EXPECT_EQ(waiting(barrier), 2u);
  EXPECT_TRUE(arrive(barrier));
  EXPECT_EQ(waiting(barrier), 0u);
}

TEST(Barrier, UsedByTheRealLibcBefore) {
  BarrierObject barrier(1);
  EXPECT_EQ(pthread_barrier_wait(barrier.posix()), PTHREAD_BARRIER_SERIAL_THREAD);
  EXPECT_EQ(pthread_barrier_wait(barrier.posix()), PTHREAD_BARRIER_SERIAL_THREAD);
  EXPECT_EQ(waiting(barrier), 0u);
  EXPECT_TRUE(arrive(barrier));
}

TEST(Barrier, Destroyed) {
  BarrierObject barrier(2);
  EXPECT_FALSE(is_destroyed(barrier));
  destroy(barrier);
  EXPECT_TRUE(is_destroyed(barrier));
}

}  // namespace
}  // namespace jostle::sync
