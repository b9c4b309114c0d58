// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/spin_loop.h"

#include <gtest/gtest.h>

#include <vector>

namespace jostle::report {
namespace {

// Events at the given places, in this order.
std::vector<channel::TraceEvent> events_at(const std::vector<uintptr_t>& places) {
  std::vector<channel::TraceEvent> events;
  for (const uintptr_t pc : places) {
    channel::TraceEvent event{};
    event.kind = OpKind::atomic_load;
    event.pc = pc;
    event.object = 8 * pc;
    events.push_back(event);
  }
  return events;
}

SpinLoop loop_of(const std::vector<channel::TraceEvent>& events) {
  std::vector<const channel::TraceEvent*> pointers;
  for (const channel::TraceEvent& event : events) pointers.push_back(&event);
  return find_spin_loop(pointers);
}

TEST(SpinLoop, OfOneOperation) {
  const auto events = events_at({1, 2, 5, 5, 5, 5});
  const SpinLoop loop = loop_of(events);
  ASSERT_EQ(loop.body.size(), 1u);
  EXPECT_EQ(loop.body[0]->pc, 5u);
  EXPECT_EQ(loop.rounds, 4u);
}

TEST(SpinLoop, OfSeveral) {
  const auto events = events_at({9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  const SpinLoop loop = loop_of(events);
  ASSERT_EQ(loop.body.size(), 3u);
  EXPECT_EQ(loop.body[0]->pc, 1u);
  EXPECT_EQ(loop.body[2]->pc, 3u);
  EXPECT_EQ(loop.rounds, 4u);
}

TEST(SpinLoop, APartOfARoundDoesNotCount) {
  const auto events = events_at({2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  EXPECT_EQ(loop_of(events).rounds, 3u);
}

TEST(SpinLoop, NoneWhereNothingComesBack) {
  EXPECT_TRUE(loop_of(events_at({1, 2, 3, 4, 5, 6})).body.empty());
  EXPECT_TRUE(loop_of(events_at({1, 2, 1, 2})).body.empty());
  EXPECT_TRUE(loop_of({}).body.empty());
}

}  // namespace
}  // namespace jostle::report
