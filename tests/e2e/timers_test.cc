// SPDX-License-Identifier: Apache-2.0
// Timers, other processes and the odd corners of POSIX: programs of many cases each, which say the
// same natively and under every strategy, with both executors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::HasSubstr;

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

// The usual way: first the timer, then the threads. Its handler takes a lock of theirs.
TEST(Timers, StrikeAmongThreadsThatCameLater) {
  const TempDir folder;
  const std::string path = build(folder, "ticks", R"(
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void count(int unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
static void* serve(void* unused) {
  for (int i = 0; i < 3; ++i) count(0);
  return unused;
}
int main(int argc, char** argv) {
  (void)argv;
  if (argc == 1) signal(SIGALRM, count);
  const struct itimerval soon = {{0, 0}, {0, 500}};
  setitimer(ITIMER_REAL, &soon, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, serve, NULL);
  serve(NULL);
  pthread_join(thread, NULL);
  return 0;
}
)");
  const Result found = jostle({"fuzz", "-q", "--seed", "1", "--schedules", "2000", "--minimize",
                               "off", "-o", folder.file("out"), "--", path});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("which it holds already")) << found;
  const Result all = jostle({"verify", "-t", "5s", "-o", folder.file("out"), "--", path});
  EXPECT_TRUE(all.exit_code == 20 || all.exit_code == 77) << all;
  // A timer that would end the program is a guard.
  const Result guarded =
      jostle({"verify", "-t", "5s", "-o", folder.file("out"), "--", path, "guarded"});
  EXPECT_EQ(guarded.exit_code, 0) << guarded;
  EXPECT_THAT(guarded.out, HasSubstr("time-outs only when nobody else can go on")) << guarded;
}

TEST(Timers, TheDoctorNamesIoUring) {
  const Result result = jostle({"doctor", "--", program("gcc", kOneThread), "9"});
  EXPECT_NE(result.out.find("io_uring"), std::string::npos) << result;
}

}  // namespace
}  // namespace jostle::test
