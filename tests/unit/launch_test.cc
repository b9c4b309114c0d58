// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/shared_channel.h"

namespace jostle::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A library that can be preloaded everywhere and does nothing.
Installation harmless() { return {"libm.so.6", "/nowhere"}; }

std::map<std::string, std::string> environment() {
  const auto list = target_environment({"/lib/libjostle.so", "/lib/jostle/tsan"}, 900);
  return {list.begin(), list.end()};
}

TEST(TargetEnvironment, SavesOnlyWhatWasThere) {
  unsetenv("LD_PRELOAD");
  setenv("LD_LIBRARY_PATH", "/a:/b", 1);
  auto variables = environment();
  EXPECT_EQ(variables["LD_PRELOAD"], "/lib/libjostle.so");
  EXPECT_FALSE(variables.contains(channel::kSavedPreloadVariable));
  EXPECT_EQ(variables["LD_LIBRARY_PATH"], "/lib/jostle/tsan:/a:/b");
  EXPECT_EQ(variables[channel::kSavedLibraryPathVariable], "/a:/b");
  EXPECT_EQ(variables[channel::kDescriptorVariable], "900");
  unsetenv("LD_LIBRARY_PATH");
}

TEST(TargetEnvironment, AnEmptyVariableIsNotAnAbsentOne) {
  setenv("LD_LIBRARY_PATH", "", 1);
  auto variables = environment();
  EXPECT_EQ(variables["LD_LIBRARY_PATH"], "/lib/jostle/tsan");
  ASSERT_TRUE(variables.contains(channel::kSavedLibraryPathVariable));
  EXPECT_EQ(variables[channel::kSavedLibraryPathVariable], "");
  unsetenv("LD_LIBRARY_PATH");
}

// Zombies, which may wait for an init that does not reap, do not count.
bool someone_runs_in(pid_t group) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string pid, name, state;
    pid_t parent = 0, its_group = 0;
    if (file >> pid >> name >> state >> parent >> its_group && its_group == group && state != "Z") {
      return true;
    }
  }
  return false;
}

class LaunchTest : public testing::Test {
 protected:
  LaunchTest() : channel_(std::move(*create_channel())) {}

  int status_of(const LaunchPlan& plan) {
    Result<TargetProcess> process = launch(plan, channel_, harmless());
    if (!process) {
      ADD_FAILURE() << process.error().message;
      return -1;
    }
    const auto status = process->wait(20s);
    EXPECT_TRUE(status);
    return status.value_or(-1);
  }

  int shell(const std::string& script, LaunchPlan plan = {}) {
    plan.program = "/bin/sh";
    plan.arguments = {"sh", "-c", script};
    return status_of(plan);
  }

  SharedChannel channel_;
};

TEST_F(LaunchTest, PassesTheExitStatus) {
  EXPECT_EQ(shell_code(shell("exit 3")), 3);
  EXPECT_EQ(shell_code(shell("kill -TERM $$")), 128 + SIGTERM);
}

TEST_F(LaunchTest, TheChannelIsOpenInTheTargetUnderAHighNumber) {
  EXPECT_GE(channel_.descriptor(), 900);
  EXPECT_EQ(shell("test \"$JOSTLE_CHANNEL\" -ge 900 && test -e /proc/self/fd/$JOSTLE_CHANNEL"), 0);
}

TEST_F(LaunchTest, AddressesAreFixed) {
  if ((channel_->status.uncontrolled & channel::kNotRandomised) != 0) GTEST_SKIP();
  // ADDR_NO_RANDOMIZE
  EXPECT_EQ(shell("grep -q '^000[4-7c-f]' /proc/self/personality"), 0);
}

TEST_F(LaunchTest, RunsInTheGivenDirectory) {
  LaunchPlan plan;
  plan.directory = "/usr";
  EXPECT_EQ(shell("test $(pwd) = /usr", plan), 0);
}

TEST_F(LaunchTest, FailuresToStartAreErrorsNotProcesses) {
  LaunchPlan plan{"/nowhere/prog", {"prog"}};
  Result<TargetProcess> process = launch(plan, channel_, harmless());
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, Exit::no_start);
  EXPECT_THAT(process.error().message, HasSubstr("/nowhere/prog"));
  plan = {"/bin/true", {"true"}};
  plan.directory = "/nowhere";
  const Result<TargetProcess> other = launch(plan, channel_, harmless());
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("cannot enter /nowhere"));
}

TEST_F(LaunchTest, KillingReachesTheWholeGroup) {
  LaunchPlan plan{"/bin/sh", {"sh", "-c", "sleep 60 & sleep 60"}};
  plan.own_group = true;
  Result<TargetProcess> process = launch(plan, channel_, harmless());
  ASSERT_TRUE(process);
  const pid_t group = process->pid();
  EXPECT_FALSE(process->wait(100ms));
  EXPECT_EQ(shell_code(process->kill()), 128 + SIGKILL);
  for (int i = 0; i < 100 && someone_runs_in(group); ++i) usleep(10'000);
  EXPECT_FALSE(someone_runs_in(group));
}

TEST(Execute, SaysWhenTheRuntimeIsNotThere) {
  const LaunchPlan plan{"/bin/true", {"true"}};
  Result<Execution> run = execute(plan, default_config(channel::Mode::run), nullptr, harmless());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Exit::no_start);
  EXPECT_THAT(run.error().message, HasSubstr("before the runtime could take over"));
}

TEST(Settle, FillsInWhatTheRuntimeCouldNot) {
  channel::Failure end{};
  settle(end, SIGSEGV, false);  // the raw status of a death by signal
  EXPECT_EQ(end.outcome, channel::Outcome::signalled);
  EXPECT_EQ(end.code, SIGSEGV);
  end = {};
  settle(end, 3 << 8, false);
  EXPECT_EQ(end.outcome, channel::Outcome::exited);
  EXPECT_EQ(end.code, 3);
  end = {};
  settle(end, SIGKILL, true);
  EXPECT_EQ(end.outcome, channel::Outcome::timed_out);
  end = {};
  end.outcome = channel::Outcome::deadlock;
  settle(end, SIGKILL, false);
  EXPECT_EQ(end.outcome, channel::Outcome::deadlock);
}

class FindingsTest : public testing::Test {
 protected:
  FindingsTest() : channel_(std::move(*create_channel())) {}

  channel::FindingHeader& append(uint32_t segments) {
    unsigned char* at = channel_->finding_bytes + used_;
    auto& header = *reinterpret_cast<channel::FindingHeader*>(at);
    header.thread_count = 1;
    header.segment_count = segments;
    header.schedule_number = channel_->status.findings + 1;
    auto* first =
        reinterpret_cast<channel::Segment*>(at + sizeof header + sizeof(channel::ThreadRecord));
    for (uint32_t i = 0; i < segments; ++i) first[i].until = i + 100;
    const uint64_t size =
        sizeof header + sizeof(channel::ThreadRecord) + segments * sizeof(channel::Segment);
    header.bytes = (size + 15) / 16 * 16;
    used_ += header.bytes;
    channel_->status.findings.fetch_add(1);
    return header;
  }

  SharedChannel channel_;
  uint64_t used_ = 0;
};

TEST_F(FindingsTest, AreReadInOrder) {
  FindingReader reader(*channel_);
  EXPECT_FALSE(reader.next());
  append(2);
  append(0);
  auto finding = reader.next();
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->schedule_number, 1u);
  ASSERT_EQ(finding->log.segments.size(), 2u);
  EXPECT_EQ(finding->log.segments[1].until, 101u);
  finding = reader.next();
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->schedule_number, 2u);
  EXPECT_FALSE(reader.next());
}

TEST_F(FindingsTest, DamagedOnesEndTheReading) {
  append(1).bytes = UINT64_MAX & ~uint64_t{15};
  EXPECT_FALSE(FindingReader(*channel_).next());
  used_ = 0;
  append(1).segment_count = UINT32_MAX;
  EXPECT_FALSE(FindingReader(*channel_).next());
  used_ = 0;
  append(1).bytes = 16;
  EXPECT_FALSE(FindingReader(*channel_).next());
}

TEST(ScheduleLog, FitsBackIntoAChannel) {
  SharedChannel channel = std::move(*create_channel());
  ScheduleLog log;
  log.digest = 7;
  log.threads.resize(3);
  log.segments.resize(5);
  log.segments[4].until = 9;
  log.choices.resize(2);
  store_schedule(log, channel->input);
  const ScheduleLog back = copy_schedule(channel->input);
  EXPECT_EQ(back.digest, 7u);
  EXPECT_EQ(back.threads.size(), 3u);
  EXPECT_EQ(back.segments[4].until, 9u);
  EXPECT_EQ(back.choices.size(), 2u);
}

}  // namespace
}  // namespace jostle::cli
