// SPDX-License-Identifier: Apache-2.0
// The helper itself: a test tool that hides a failure would make every other test worthless.
#include "tests/e2e/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace jostle::test {
namespace {

TEST(Support, CapturesOutputsAndExitCode) {
  const Result result = run({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3) << result;
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.timed_out);
}

TEST(Support, ReportsTheSignal) {
  const Result result = run({"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(result.signal, SIGSEGV) << result;
  EXPECT_EQ(result.exit_code, -1);
}

TEST(Support, StartFailureIs127) {
  const Result result = run({"/no/such/program"});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, testing::HasSubstr("/no/such/program"));
}

TEST(Support, KillsTheWholeGroupWhenTimeIsUp) {
  const Result result = run({"sh", "-c", "echo started; sleep 50 & sleep 50"}, {.time_limit = 0.3});
  EXPECT_TRUE(result.timed_out) << result;
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.out, "started\n");
  EXPECT_LT(result.seconds, 10);
}

TEST(Support, DoesNotWaitForAGrandchildThatHoldsThePipe) {
  const Result result = run({"sh", "-c", "sleep 50 & echo done"});
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(result.out, "done\n");
  EXPECT_LT(result.seconds, 10);
}

TEST(Support, FeedsLargeInputAndReadsLargeOutput) {
  const std::string big(3'000'000, 'x');
  const Result result = run({"cat"}, {.input = big});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out, big);
}

TEST(Support, SurvivesAChildThatDoesNotReadItsInput) {
  EXPECT_TRUE(run({"true"}, {.input = std::string(3'000'000, 'x')}).ok());
}

TEST(Support, ChangesEnvironmentAndDirectory) {
  const TempDir dir;
  const Result result = run({"sh", "-c", "echo $ADDED ${HOME-gone}; pwd"},
                            {.env = {{"ADDED", "yes"}, {"HOME", std::nullopt}}, .cwd = dir.path()});
  EXPECT_EQ(result.out, "yes gone\n" + dir.path().string() + "\n");
}

TEST(Support, WhatProgramsLeaveIsInAFolderOfTheTest) {
  const Result result = run({"sh", "-c", "cd \"$TMPDIR\" && pwd && touch left"});
  ASSERT_TRUE(result.ok()) << result;
  const std::filesystem::path folder = result.out.substr(0, result.out.size() - 1);
  EXPECT_EQ(folder.parent_path(), std::filesystem::temp_directory_path());
  EXPECT_TRUE(std::filesystem::exists(folder / "left"));
  EXPECT_EQ(run({"sh", "-c", "echo $TMPDIR"}).out, result.out);
}

TEST(Support, TempDirGoesAway) {
  std::filesystem::path path;
  {
    const TempDir dir;
    path = dir.path();
    EXPECT_EQ(read_file(dir.write("a/b", "text")), "text");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace jostle::test
