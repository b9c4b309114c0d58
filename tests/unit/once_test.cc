// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/once.h"

#include <gtest/gtest.h>

#include <cstring>

namespace jostle::sync {
namespace {

constexpr Owner kA = owner_with_index(1);

TEST(Once, RunsAndIsDone) {
  pthread_once_t control = PTHREAD_ONCE_INIT;
  Once& once = state_of(&control);
  EXPECT_FALSE(is_done(once));
  EXPECT_FALSE(is_running(once));
  EXPECT_EQ(runner(once), Owner::nobody);
  begin(once, kA);
  EXPECT_TRUE(is_running(once));
  EXPECT_FALSE(is_done(once));
  EXPECT_EQ(runner(once), kA);
  finish(once);
  EXPECT_TRUE(is_done(once));
  EXPECT_FALSE(is_running(once));
}

TEST(Once, AbandonedIsUndone) {
  pthread_once_t control = PTHREAD_ONCE_INIT;
  Once& once = state_of(&control);
  begin(once, kA);
  abandon(once);
  EXPECT_FALSE(is_done(once));
  EXPECT_FALSE(is_running(once));
}

TEST(Once, DoneMeansTheSameToTheRealLibc) {
  static int calls;
  pthread_once_t ours = PTHREAD_ONCE_INIT, theirs = PTHREAD_ONCE_INIT;
  begin(state_of(&ours), kA);
  finish(state_of(&ours));
  pthread_once(&ours, [] { ++calls; });
  EXPECT_EQ(calls, 0);
  pthread_once(&theirs, [] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(is_done(state_of(&theirs)));
}

TEST(Guard, FirstByteIsWhatTheCompilerTests) {
  uint64_t object = 0;
  auto& guard = reinterpret_cast<Guard&>(object);
  begin(guard, kA);
  EXPECT_TRUE(is_running(guard));
  EXPECT_EQ(runner(guard), kA);
  unsigned char first;
  memcpy(&first, &object, 1);
  EXPECT_EQ(first, 0);
  finish(guard);
  memcpy(&first, &object, 1);
  EXPECT_EQ(first, 1);
  EXPECT_TRUE(is_done(guard));
  EXPECT_EQ(runner(guard), Owner::nobody);
}

TEST(Guard, AbortedIsUndone) {
  Guard guard{};
  begin(guard, kA);
  abandon(guard);
  EXPECT_FALSE(is_done(guard));
  EXPECT_FALSE(is_running(guard));
}

TEST(OnceFlag, DoneIsWhatTheHeaderTests) {
  OnceFlag flag{};
  EXPECT_FALSE(is_done(flag));
  EXPECT_FALSE(is_running(flag));
  begin(flag, kA);
  EXPECT_TRUE(is_running(flag));
  EXPECT_EQ(runner(flag), kA);
  abandon(flag);
  EXPECT_EQ(flag.word, 0u);
  begin(flag, kA);
  finish(flag);
  EXPECT_EQ(flag.word, ~0UL);
  EXPECT_TRUE(is_done(flag));
  EXPECT_FALSE(is_running(flag));
  EXPECT_EQ(runner(flag), Owner::nobody);
}

}  // namespace
}  // namespace jostle::sync
