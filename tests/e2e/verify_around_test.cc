// SPDX-License-Identifier: Apache-2.0
// `jostle verify --around`: is a recorded failure gone, and are the executions next to it all
// right?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/small_programs.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// Two threads take 10 each; the loop makes more executions than anybody waits for.
std::string account(const std::string& take, const std::string& noise = "") {
  return R"(
#include <assert.h>
#include <pthread.h>
#include <string.h>
static int balance = 100;
static int noise[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int most = 10;
)" + take +
         "static void* work(void* unused) {\n" + noise + R"(
  take(10);
  return unused;
}
int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "much") == 0) most = 20;
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(balance == 80);
  return 0;
}
)";
}

constexpr char kTake[] = R"(
static void take(int amount) {
  int seen = balance;
  balance = seen - amount;
}
)";
constexpr char kLockedTake[] = R"(
static void take(int amount) {
  pthread_mutex_lock(&lock);
  int seen = balance;
  balance = seen - amount;
  pthread_mutex_unlock(&lock);
}
)";
// Each access is under the lock, but not both under the same holding of it.
constexpr char kBadlyLockedTake[] = R"(
static void take(int amount) {
  pthread_mutex_lock(&lock);
  int seen = balance;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  balance = seen - amount;
  pthread_mutex_unlock(&lock);
}
)";
constexpr char kNoise[] =
    "for (int i = 0; i < most; ++i) __atomic_fetch_add(&noise[i % 2], 1, 5);\n";

class VerifyAround : public testing::Test {
 protected:
  Result in_folder(std::vector<std::string> words) {
    return jostle(std::move(words), {.cwd = folder_.path(), .time_limit = 120});
  }
  // Builds a program and keeps the failure that is found as `recorded/replay.json`.
  void record(const std::string& source, const std::vector<std::string>& arguments = {},
              const std::vector<std::string>& options = {}) {
    build(folder_, "account", source);
    std::vector<std::string> words = {"fuzz", "--seed", "1", "-o", "found"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "./account"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Result found = in_folder(words);
    ASSERT_EQ(found.exit_code, 77) << found;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "found/account")) {
      if (fs::exists(entry.path() / "replay.json")) {
        fs::copy(entry.path(), folder_.path() / "recorded");
        break;
      }
    }
  }
  void rebuild(const std::string& source) { build(folder_, "account", source); }

  Result around(const std::vector<std::string>& options) {
    std::vector<std::string> words = {"verify", "--around", "recorded", "-o", "out"};
    words.insert(words.end(), options.begin(), options.end());
    return in_folder(words);
  }
  json stats_around(std::vector<std::string> options, int exit_code) {
    options.insert(options.begin(), "--json");
    const Result result = around(options);
    EXPECT_EQ(result.exit_code, exit_code) << result;
    json stats = json::parse(result.out, nullptr, false);
    EXPECT_TRUE(stats.is_object()) << result;
    return stats.is_object() ? stats : json::object();
  }

  TempDir folder_;
};

TEST_F(VerifyAround, TheFailureIsStillThere) {
  record(account(kTake, kNoise));
  for (const char* radius : {"0", "1"}) {
    const Result same = around({"--radius", radius});
    EXPECT_EQ(same.exit_code, 77) << same;
    EXPECT_THAT(same.out, HasSubstr("FAILED after 1 execution")) << same;
    EXPECT_THAT(same.out + same.err, HasSubstr("assertion `balance == 80'")) << same;
  }
  // Other addresses, other lines, other numbers of events.
  rebuild(account(
      std::string("static int steps[3];\nstatic void step(int i) { steps[i] += 2; }\n") + kTake,
      std::string("step(0); step(1);\n") + kNoise));
  const json stats = stats_around({"--radius", "0"}, 77);
  EXPECT_EQ(stats["verdict"], "failed");
  EXPECT_EQ(stats["around"]["followed"], true) << stats["around"];
}

TEST_F(VerifyAround, TheFailureAndItsNeighboursAreGone) {
  record(account(kTake, kNoise));
  rebuild(account(kLockedTake, kNoise));
  const Result result = around({});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("BOUNDED: the failure and its ")) << result;
  EXPECT_THAT(result.out, HasSubstr(" neighbours are gone: all within 2 reversed races "))
      << result;
  EXPECT_THAT(result.out, HasSubstr("around recorded: assertion `balance == 80'")) << result;
  uint64_t before = 0;
  for (const char* radius : {"0", "1", "2", "3"}) {
    const json stats = stats_around({"--radius", radius}, 0);
    EXPECT_EQ(stats["verdict"], "bounded");
    EXPECT_EQ(stats["radius"], std::stoi(radius));
    EXPECT_EQ(stats["bound"], nullptr);
    EXPECT_EQ(stats["around"]["followed"], true) << stats["around"];
    const auto executions = stats["executions"].get<uint64_t>();
    EXPECT_GT(executions, before);
    before = executions;
    if (*radius == '0') {
      EXPECT_EQ(executions, 1u);
    }
  }
}

// The recorded schedule passes; with one race reversed the repaired program fails.
TEST_F(VerifyAround, ARepairThatIsNoneFailsNextToTheRecording) {
  record(account(kTake, kNoise));
  rebuild(account(kBadlyLockedTake, kNoise));
  EXPECT_EQ(stats_around({"--radius", "2"}, 77)["verdict"], "failed");
}

TEST_F(VerifyAround, SmallProgramsAreVerified) {
  record(account(kTake));
  rebuild(account(kLockedTake));
  const json stats = stats_around({"--radius", "9"}, 0);
  EXPECT_EQ(stats["verdict"], "verified");
  EXPECT_EQ(stats["executions"], 2);
  const Result all = in_folder({"verify", "--json", "-o", "out", "--", "./account"});
  EXPECT_EQ(json::parse(all.out, nullptr, false)["executions"], 2) << all;
}

TEST_F(VerifyAround, CountsTheSameWithAProcessPerRun) {
  record(account(kTake, kNoise));
  rebuild(account(kLockedTake, kNoise));
  const json here = stats_around({"--radius", "1", "--executor", "snapshot"}, 0);
  const json there = stats_around({"--radius", "1", "--executor", "fork"}, 0);
  EXPECT_EQ(here["executions"], there["executions"]);
  EXPECT_EQ(here["verdict"], there["verdict"]);
}

TEST_F(VerifyAround, TakesArgumentsOfTheRecordingUnlessTheyAreGiven) {
  record(account(kTake, kNoise), {"much"});
  rebuild(account(kLockedTake, kNoise));
  const json recorded = stats_around({"--radius", "1"}, 0);
  const json named = stats_around({"--radius", "1", "--", "./account"}, 0);
  const json given = stats_around({"--radius", "1", "--", "./account", "little"}, 0);
  EXPECT_EQ(recorded["args"], json({"much"}));
  EXPECT_EQ(named["args"], json({"much"}));
  EXPECT_EQ(given["args"], json({"little"}));
}

// Of what is left nothing more is claimed than that it was explored.
TEST_F(VerifyAround, SaysWhenTheRecordingCannotBeFollowed) {
  record(account(kTake, kNoise));
  rebuild(R"(
#include <pthread.h>
static int balance = 100;
static void* audit(void* unused) {
  __atomic_fetch_add(&balance, 1, 5);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, audit, 0);
  pthread_create(&b, 0, audit, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
)");
  const Result result = around({"--radius", "0"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("BOUNDED: 1 execution within 0 reversed races of what is left"))
      << result;
  EXPECT_THAT(result.out, HasSubstr("cannot be followed")) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("gone"))) << result;
  const json stats = stats_around({"--radius", "0"}, 0);
  EXPECT_EQ(stats["around"]["followed"], false);
  EXPECT_FALSE(stats["around"]["not_followed"].empty());
}

TEST_F(VerifyAround, EndsWithTheTimeAsIncomplete) {
  record(account(kTake, kNoise));
  rebuild(account(kLockedTake, kNoise));
  const json stats = stats_around({"--radius", "50", "-n", "200"}, 20);
  EXPECT_EQ(stats["verdict"], "incomplete");
  EXPECT_GT(stats["estimate"], stats["executions"]);
}

TEST_F(VerifyAround, RefusesWhatItCannotMean) {
  const TempDir empty;
  EXPECT_EQ(in_folder({"verify", "--around", "nowhere.json"}).exit_code, 11);
  EXPECT_EQ(in_folder({"verify", "--radius", "2", "--", "./account"}).exit_code, 2);
  folder_.write("damaged.json", "{\"format\": \"jostle-replay\"");
  EXPECT_EQ(in_folder({"verify", "--around", "damaged.json"}).exit_code, 12);
  record(account(kTake));
  EXPECT_EQ(around({"-j", "2"}).exit_code, 2);
  EXPECT_EQ(around({"--preemptions", "2"}).exit_code, 2);
  EXPECT_EQ(around({"--resume"}).exit_code, 2);
  EXPECT_EQ(around({"--radius", "far"}).exit_code, 2);
  fs::remove(folder_.path() / "account");
  EXPECT_EQ(around({}).exit_code, 3);
}

}  // namespace
}  // namespace jostle::test
