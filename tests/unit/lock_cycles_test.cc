// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/lock_cycles.h"

#include <gtest/gtest.h>

#include <memory>

namespace jostle::report {
namespace {

class LockCyclesTest : public testing::Test {
 protected:
  // Thread `thread` takes `wanted` while it holds `held` and the gates.
  LockEdge& edge(uint64_t thread, uint64_t held, uint64_t wanted,
                 std::initializer_list<uint64_t> gates = {}) {
    LockEdge& edge = edges_[used_++];
    edge.thread = thread;
    edge.held.name = held;
    edge.wanted.name = wanted;
    edge.held.site = 1000 + 10 * used_;
    edge.wanted.site = 1001 + 10 * used_;
    for (const uint64_t gate : gates) edge.gates[edge.gate_count++] = gate;
    edge.ready = 1;
    return edge;
  }
  std::vector<LockCycle> cycles() const { return find_lock_cycles({edges_.get(), used_}); }

  std::unique_ptr<LockEdge[]> edges_ = std::make_unique<LockEdge[]>(64);
  size_t used_ = 0;
};

TEST_F(LockCyclesTest, TwoThreadsTheOtherWayRound) {
  edge(1, 100, 200);
  edge(2, 200, 100);
  ASSERT_EQ(cycles().size(), 1u);
  EXPECT_EQ(cycles()[0].size(), 2u);
}

TEST_F(LockCyclesTest, NumberedLocksAreTheSameInOneRunOnly) {
  LockEdge& there = edge(1, 100, 200);
  LockEdge& back = edge(2, 200, 100);
  there.held.is_numbered = back.wanted.is_numbered = 1;
  there.run = 7;
  back.run = 8;
  EXPECT_TRUE(cycles().empty());
  back.run = 7;
  EXPECT_EQ(cycles().size(), 1u);
}

TEST_F(LockCyclesTest, TheSameOrderIsNone) {
  edge(1, 100, 200);
  edge(2, 100, 200);
  edge(3, 200, 300);
  EXPECT_TRUE(cycles().empty());
}

TEST_F(LockCyclesTest, OneThreadAloneIsNone) {
  edge(1, 100, 200);
  edge(1, 200, 100);
  EXPECT_TRUE(cycles().empty());
}

TEST_F(LockCyclesTest, AGateKeepsThemApart) {
  const uint64_t gate = LockEdge::gate(512, 1), other = LockEdge::gate(1024, 1);
  edge(1, 100, 200, {gate});
  edge(2, 200, 100, {gate, other});
  EXPECT_TRUE(cycles().empty());
  edge(3, 200, 100, {other});
  EXPECT_EQ(cycles().size(), 1u);
}

TEST_F(LockCyclesTest, ASemaphoreLetsSoManyIn) {
  const uint64_t two = LockEdge::gate(512, 2), three = LockEdge::gate(1024, 3);
  edge(1, 100, 200, {two, three});
  edge(2, 200, 300, {three, two});
  edge(3, 300, 100, {two, three});
  EXPECT_TRUE(cycles().empty());
  edge(4, 300, 100, {three});
  ASSERT_EQ(cycles().size(), 1u);
  EXPECT_EQ(cycles()[0].size(), 3u);
}

TEST_F(LockCyclesTest, ThreeInARing) {
  edge(1, 300, 100);
  edge(2, 100, 200);
  edge(3, 200, 300);
  ASSERT_EQ(cycles().size(), 1u);
  EXPECT_EQ(cycles()[0].size(), 3u);
}

TEST_F(LockCyclesTest, ThreeLocksNeedThreeThreads) {
  edge(1, 100, 200);
  edge(2, 200, 300);
  edge(1, 300, 100);
  EXPECT_TRUE(cycles().empty());
}

TEST_F(LockCyclesTest, ReadersDoNotWaitForReaders) {
  edge(1, 100, 200).held.reads = 1;
  LockEdge& other = edge(2, 200, 100);
  other.wanted.reads = 1;
  EXPECT_TRUE(cycles().empty());
  other.wanted.reads = 0;
  EXPECT_EQ(cycles().size(), 1u);
}

TEST_F(LockCyclesTest, EachSetOfPlacesOnce) {
  for (uint64_t thread = 1; thread <= 4; ++thread) {
    LockEdge& there = edge(2 * thread, 100, 200);
    LockEdge& back = edge(2 * thread + 1, 200, 100);
    there.held.site = back.wanted.site = 1;
    there.wanted.site = back.held.site = 2;
  }
  EXPECT_EQ(cycles().size(), 1u);
}

TEST_F(LockCyclesTest, HalfWrittenEdgesDoNotCount) {
  edge(1, 100, 200);
  edge(2, 200, 100).ready = 0;
  EXPECT_TRUE(cycles().empty());
}

}  // namespace
}  // namespace jostle::report
