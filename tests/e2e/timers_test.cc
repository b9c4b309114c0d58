// SPDX-License-Identifier: Apache-2.0
// Timers, other processes and the odd corners of POSIX: programs of many cases each, which say the
// same natively and under every strategy, with both executors.
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

constexpr char kWaits[] = "signals/timer_waits";
constexpr char kCalls[] = "signals/timer_calls";
constexpr char kOneThread[] = "signals/one_thread_waits";

class TimerPrograms : public testing::TestWithParam<const char*> {};

// The program's own output is the first run's.
TEST_P(TimerPrograms, SayTheSameAsNatively) {
  const Result natively = run({program("plain", GetParam())});
  ASSERT_TRUE(natively.ok()) << natively;
  for (const char* strategy : {"none", "random", "pos"}) {
    const Result controlled =
        jostle({"run", "--strategy", strategy, "--seed", "11", "--", program("gcc", GetParam())});
    EXPECT_TRUE(controlled.ok()) << controlled;
    EXPECT_EQ(controlled.out, natively.out) << strategy;
  }
}

TEST_P(TimerPrograms, HoldUnderEveryStrategyWithAProcessPerRun) {
  const TempDir out;
  for (const char* strategy : {"random", "pos", "rff", "surw", "pct", "ql"}) {
    const Result result =
        jostle({"fuzz", "-q", "--seed", "5", "--strategy", strategy, "--schedules", "3",
                "--executor=fork", "-o", out.file("out"), "--", program("gcc", GetParam())});
    EXPECT_TRUE(result.ok()) << strategy << "\n" << result;
  }
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
  return std::string(info.param).substr(std::string("signals/").size());
}
INSTANTIATE_TEST_SUITE_P(All, TimerPrograms, testing::Values(kWaits, kCalls, kOneThread), name_of);

// What creates no process can be rewound, timers and all.
TEST(Timers, AreRewound) {
  const TempDir out;
  const std::string schedules = std::to_string(long_or_short(40, 4));
  for (const char* strategy : {"random", "pos", "rff", "surw", "pct", "ql", "portfolio"}) {
    const Result result =
        jostle({"fuzz", "-q", "--seed", "5", "--strategy", strategy, "--schedules", schedules,
                "--executor=snapshot", "-o", out.file("out"), "--", program("gcc", kWaits)});
    EXPECT_TRUE(result.ok()) << strategy << "\n" << result;
  }
}

// Under control it sets the calendar of the run; it must not be run otherwise.
TEST(Timers, TheClockOfTheMachineIsNotSet) {
  const TempDir out;
  const std::string path = program("gcc", "signals/clock_setting");
  const time_t before = time(nullptr);
  const Result once = jostle({"run", "--", path, "under-jostle"});
  EXPECT_TRUE(once.ok()) << once;
  for (const char* executor : {"--executor=snapshot", "--executor=fork"}) {
    const Result many = jostle({"fuzz", "-q", "--strategy", "pos", "--schedules", "5", executor,
                                "-o", out.file("out"), "--", path, "under-jostle"});
    EXPECT_TRUE(many.ok()) << many;
  }
  EXPECT_LT(time(nullptr) - before, 60);
  EXPECT_GE(time(nullptr), before);
}

TEST(Timers, TheDoctorNamesIoUring) {
  const Result result = jostle({"doctor", "--", program("gcc", kOneThread), "9"});
  EXPECT_NE(result.out.find("io_uring"), std::string::npos) << result;
}

}  // namespace
}  // namespace jostle::test
