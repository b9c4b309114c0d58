// SPDX-License-Identifier: Apache-2.0
// The time of a command: what is left, for whom, and when it is over.
#include "src/cli/support/budget.h"

#include <gtest/gtest.h>

namespace jostle::cli {
namespace {

using namespace std::chrono_literals;

TEST(Budget, WithoutALimitThereIsAlwaysTime) {
  const Budget budget;
  EXPECT_FALSE(budget.limited());
  EXPECT_FALSE(budget.over());
  EXPECT_EQ(budget.at_most(3s), 3s);
  EXPECT_FALSE(budget.share(10).over());
}

TEST(Budget, EndsWithinWhatIsPromised) {
  const auto begin = Budget::Clock::now();
  for (const auto search : {1s, 5s, 60s}) {
    const Budget budget(search, begin);
    EXPECT_FALSE(budget.search_is_over(begin));
    EXPECT_TRUE(budget.search_is_over(begin + search));
    EXPECT_FALSE(budget.over(begin + search));
    EXPECT_LT(budget.left(begin), search * 3 / 2 + 2s);
    EXPECT_TRUE(budget.over(begin + search * 3 / 2 + 2s));
    EXPECT_EQ(budget.left(begin + search * 2 + 2s), 0s);
  }
}

TEST(Budget, IsShared) {
  const auto begin = Budget::Clock::now();
  const Budget budget(10s, begin);
  EXPECT_EQ(budget.share(1, begin).left(begin), budget.left(begin));
  EXPECT_EQ(budget.share(3, begin).left(begin), budget.left(begin) / 3);
  EXPECT_EQ(budget.at_most(1h, begin), budget.left(begin));
}

}  // namespace
}  // namespace jostle::cli
