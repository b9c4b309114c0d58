// SPDX-License-Identifier: Apache-2.0
// The set of threads that could run: counts, order, and no thread twice.
#include "src/strategy/enabled_set.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "src/base/rng.h"

namespace jostle {
namespace {

TEST(EnabledSet, AgreesWithASet) {
  EnabledSet set;
  std::set<ThreadId> model;
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto id = static_cast<ThreadId>(rng.below(200));
    if (rng.below(2) == 0) {
      set.insert(id);
      model.insert(id);
    } else {
      set.erase(id);
      model.erase(id);
    }
    ASSERT_EQ(set.count(), model.size());
    ASSERT_EQ(set.contains(id), model.count(id) == 1);
  }
  std::vector<ThreadId> members;
  set.for_each([&](ThreadId id) { members.push_back(id); });
  EXPECT_EQ(members, std::vector<ThreadId>(model.begin(), model.end()));
  for (uint32_t k = 0; k < set.count(); ++k) EXPECT_EQ(set.nth(k), members[k]);
  for (ThreadId id = 0; id < 250; ++id) {
    const auto above = model.upper_bound(id);
    EXPECT_EQ(set.above(id), above == model.end() ? kNoThread : *above);
  }
}

TEST(EnabledSet, WhoComesNextGoesRound) {
  EnabledSet set;
  for (const ThreadId id : {3, 70, 130}) set.insert(id);
  EXPECT_EQ(next_after(0, set), 3u);
  EXPECT_EQ(next_after(3, set), 70u);
  EXPECT_EQ(next_after(70, set), 130u);
  EXPECT_EQ(next_after(130, set), 3u);
  set.clear();
  EXPECT_EQ(set.count(), 0u);
  EXPECT_FALSE(set.contains(70));
}

#ifdef JOSTLE_CHECKS
TEST(EnabledSetDeathTest, NobodyIsNoMember) {
  EnabledSet set;
  EXPECT_DEATH(set.insert(kNoThread), "violated: id != kNoThread");
}
#endif

}  // namespace
}  // namespace jostle
