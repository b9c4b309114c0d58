// SPDX-License-Identifier: Apache-2.0
// The call stack that the compiler's hooks tell of, also where functions are left without one.
#include "src/runtime/memory/call_stack.h"

#include <gtest/gtest.h>

#include <vector>

namespace jostle::rt {
namespace {

class CallStackTest : public testing::Test {
 protected:
  CallStackTest() : entries_(CallStack::kCapacity) { stack_.attach(entries_.data()); }
  std::vector<CallStack::Entry> entries_;
  CallStack stack_;
};

TEST_F(CallStackTest, TheInnermostComesFirst) {
  stack_.enter(0x10, 900);
  stack_.enter(0x20, 800);
  ASSERT_EQ(stack_.depth(), 2u);
  EXPECT_EQ(stack_.caller(0), 0x20u);
  EXPECT_EQ(stack_.caller(1), 0x10u);
  stack_.leave();
  EXPECT_EQ(stack_.caller(0), 0x10u);
}

TEST_F(CallStackTest, ALeaveTooManyDoesNoHarm) {
  stack_.leave();
  EXPECT_EQ(stack_.frames(), 0u);
}

// longjmp: the next function is entered from a frame above those that are gone.
TEST_F(CallStackTest, FramesThatAreGoneAreDropped) {
  stack_.enter(0x10, 900);
  stack_.enter(0x20, 800);
  stack_.enter(0x30, 700);
  stack_.enter(0x40, 850);
  ASSERT_EQ(stack_.depth(), 2u);
  EXPECT_EQ(stack_.caller(0), 0x40u);
  EXPECT_EQ(stack_.caller(1), 0x10u);
}

// A handler on a stack of its own, at higher addresses than the one it interrupts.
TEST_F(CallStackTest, AHandlerOnAnotherStackDropsNothingBelowTheFloor) {
  stack_.enter(0x10, 900);
  stack_.enter(0x20, 800);
  stack_.set_floor(stack_.frames());
  stack_.enter(0x30, 5000);
  EXPECT_EQ(stack_.depth(), 3u);
  stack_.leave();
  stack_.set_floor(0);
  EXPECT_EQ(stack_.caller(0), 0x20u);
}

TEST_F(CallStackTest, DeeperFramesAreCountedButNotKept) {
  for (uint32_t i = 0; i < CallStack::kCapacity + 10; ++i) stack_.enter(i, 1'000'000 - i);
  EXPECT_EQ(stack_.frames(), CallStack::kCapacity + 10);
  EXPECT_EQ(stack_.depth(), CallStack::kCapacity);
  EXPECT_EQ(stack_.caller(0), CallStack::kCapacity - 1);
  for (uint32_t i = 0; i < 20; ++i) stack_.leave();
  EXPECT_EQ(stack_.depth(), CallStack::kCapacity - 10);
  EXPECT_EQ(stack_.caller(0), CallStack::kCapacity - 11);
}

}  // namespace
}  // namespace jostle::rt
