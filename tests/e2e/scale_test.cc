// SPDX-License-Identifier: Apache-2.0
// Many threads: at once, and one after another.
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

TEST(Scale, TwoThousandThreadsAlive) {
  const Result result = jostle({"run", "--timeout", "200s", "--max-steps", "100000000", "--seed",
                                "3", "--", program("gcc", "conform/scale_alive"), "2000"},
                               {.time_limit = 280});
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST(Scale, ManyThreadsOneAfterAnotherInBoundedMemory) {
  const std::string threads = std::to_string(long_or_short(100'000, 8000));
  const Result result = jostle({"run", "--timeout", "200s", "--max-steps", "100000000", "--seed",
                                "3", "--", program("gcc", "conform/scale_sequential"), threads},
                               {.time_limit = 280});
  EXPECT_EQ(result.exit_code, 0) << result;
  // The record of the run is part of it: some 50 bytes an event.
  EXPECT_LT(result.resident_kilobytes, 300'000);
}

}  // namespace
}  // namespace jostle::test
