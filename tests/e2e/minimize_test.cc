// SPDX-License-Identifier: Apache-2.0
// Failing schedules are made small, and the sentence that says why names the right lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

uint64_t preemptions_in(const fs::path& replay) {
  uint64_t count = 0;
  const json recording = json::parse(read_file(replay));
  for (const json& segment : recording["schedule"]) {
    count += segment["then"] == "preempted";
  }
  return count;
}

// What a random walk finds, how few preemptions it takes, and the lines that the explanation has to
// mention.
struct Known {
  const char* program;
  uint64_t preemptions;
  std::vector<const char*> mentions;
};
void PrintTo(const Known& known, std::ostream* os) { *os << known.program; }

class Minimized : public testing::TestWithParam<Known> {};

TEST_P(Minimized, IsAsSmallAsItGetsAndSaysWhy) {
  const Known& known = GetParam();
  const TempDir dir;
  const Result result =
      // More time than it takes, for machines that are busy.
      jostle({"fuzz", "--seed", "3", "--strategy", "random", "--time", "20s", "--minimize", "10s",
              "-q", "-o", dir.path(), program("gcc", std::string("bugs/") + known.program)});
  ASSERT_EQ(result.exit_code, 77) << result;
  const fs::path replay = recording_in(dir.path());
  EXPECT_EQ(preemptions_in(replay), known.preemptions) << result;
  EXPECT_TRUE(fs::exists(replay.parent_path() / "replay-original.json"));
  for (const char* place : known.mentions) {
    EXPECT_THAT(json::parse(read_file(replay)).value("why", ""), HasSubstr(place));
  }
  // The smaller schedule is as good as any other: it replays.
  EXPECT_EQ(jostle({"replay", replay}).exit_code, 77);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Minimized,
    testing::Values(Known{"lost_update", 1, {"lost_update.cc:10"}},
                    Known{"lost_update_atomic", 1, {"lost_update_atomic.cc:13"}},
                    Known{"check_then_act", 1, {"check_then_act.cc:13", "check_then_act.cc:17"}},
                    Known{"torn_pair", 1, {"torn_pair.cc:17", "torn_pair.cc:13"}},
                    Known{"order_violation", 1, {"order_violation.c:16", "order_violation.c:30"}},
                    Known{"double_free", 1, {"double_free.c:10", "double_free.c:12"}},
                    Known{"cond_if", 1, {"cond_if.c:25"}},
                    Known{"broken_lock", 2, {"broken_lock.cc:15"}},
                    Known{"abba_pthread", 1, {"abba_pthread.c:15", "abba_pthread.c:16"}},
                    Known{"lock_cycle3", 1, {"lock_cycle3.cc:12", "lock_cycle3.cc:13"}},
                    Known{"lost_wakeup", 1, {"lost_wakeup.c:13", "lost_wakeup.c:22"}},
                    Known{"early_return_lock", 0, {"early_return_lock.c:17"}}),
    [](const auto& test) { return std::string(test.param.program); });

TEST(Minimize, OffLeavesTheScheduleAsItWasFound) {
  const TempDir dir;
  const Result result = jostle({"fuzz", "--seed", "3", "--strategy", "random", "--minimize", "off",
                                "-q", "-o", dir.path(), program("gcc", "bugs/lost_update")});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_FALSE(fs::exists(recording_in(dir.path()).parent_path() / "replay-original.json"));
}

TEST(Minimize, TheCommandMakesARecordingSmallerAndKeepsTheOriginal) {
  const TempDir dir;
  ASSERT_EQ(jostle({"fuzz", "--seed", "3", "--strategy", "random", "--minimize", "off", "-q", "-o",
                    dir.path(), program("gcc", "bugs/lock_cycle3")})
                .exit_code,
            77);
  const fs::path replay = recording_in(dir.path());
  const std::string before = read_file(replay);
  const uint64_t many = preemptions_in(replay);
  ASSERT_GT(many, 1u);
  const Result result = jostle({"minimize", "--time", "2s", replay.parent_path()});
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_EQ(preemptions_in(replay), 1u);
  EXPECT_EQ(read_file(replay.parent_path() / "replay-original.json"), before);
  EXPECT_EQ(json::parse(read_file(replay))["minimized_from"]["preemptions"], many);
  EXPECT_EQ(jostle({"replay", replay}).exit_code, 77);
}

TEST(Minimize, SaysWhatIsWrong) {
  EXPECT_EQ(jostle({"minimize"}).exit_code, 2);
  EXPECT_EQ(jostle({"minimize", "/no/such/file"}).exit_code, 11);
}

}  // namespace
}  // namespace jostle::test
