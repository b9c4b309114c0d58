// SPDX-License-Identifier: Apache-2.0
#include "src/engine/failure_tally.h"

#include <gtest/gtest.h>

#include <vector>

namespace jostle::engine {
namespace {

std::vector<uint64_t> due(uint64_t most, bool dense) {
  FailureTally tally;
  std::vector<uint64_t> times;
  for (uint64_t i = 1; i <= most; ++i) {
    tally.count(2 * i);  // another one each time
    if (tally.count(1).is_due(dense)) times.push_back(i);
  }
  return times;
}

TEST(FailureTally, HandsOverFewerAndFewer) {
  EXPECT_EQ(due(40, false), (std::vector<uint64_t>{1, 2, 4, 8, 16, 32}));
}

TEST(FailureTally, HandsOverMoreOfWhatHidesTheCause) {
  EXPECT_EQ(due(24, true), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24}));
}

TEST(FailureTally, CountsEachSignatureByItself) {
  FailureTally tally;
  EXPECT_EQ(tally.count(1).times, 1u);
  EXPECT_EQ(tally.count(2).times, 1u);
  EXPECT_EQ(tally.count(1).times, 2u);
}

}  // namespace
}  // namespace jostle::engine
