// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/fairness/spin_detector.h"

#include <gtest/gtest.h>

namespace jostle::rt {
namespace {

TEST(SpinDetector, SeesALoopOnOneFlag) {
  SpinDetector spin;
  int rounds = 0;
  while (!spin.read(0x10, 0x1000, 0) && rounds < 1000) ++rounds;
  EXPECT_TRUE(spin.spinning());
  EXPECT_GE(rounds, 16) << "bounded spinning before blocking must pass";
  EXPECT_LT(rounds, 100);
}

TEST(SpinDetector, SeesALoopOverSeveralReads) {
  SpinDetector spin;
  int rounds = 0;
  for (; rounds < 1000 && !spin.spinning(); ++rounds) {
    for (uintptr_t i = 0; i < 7; ++i) spin.read(0x10 + i, 0x1000 + 8 * i, i);
  }
  EXPECT_TRUE(spin.spinning());
  EXPECT_LT(rounds, 200);
}

TEST(SpinDetector, AChangingValueIsNoSpin) {
  SpinDetector spin;
  for (uint64_t value = 0; value < 10'000; ++value) EXPECT_FALSE(spin.read(0x10, 0x1000, value));
}

TEST(SpinDetector, AScanOverAnArrayIsNoSpin) {
  SpinDetector spin;
  for (uintptr_t i = 0; i < 100'000; ++i) EXPECT_FALSE(spin.read(0x10, 0x1000 + 8 * i, 0));
}

TEST(SpinDetector, ProgressStartsAfresh) {
  SpinDetector spin;
  for (int i = 0; i < 1000; ++i) {
    for (int j = 0; j < 10; ++j) EXPECT_FALSE(spin.read(0x10, 0x1000, 0));
    spin.progress();
  }
}

}  // namespace
}  // namespace jostle::rt
