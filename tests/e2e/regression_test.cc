// SPDX-License-Identifier: Apache-2.0
// Regression mode: what was found before, against a program that was built anew since.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/small_programs.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Two threads take 10 each. What is between `before` and `take` is the test's.
std::string account(const std::string& before, const std::string& take,
                    const std::string& worker = "take(10);",
                    const std::string& audit = "assert(balance == 80);") {
  return R"(
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int balance = 100;
)" + before +
         take + "\nstatic void* work(void* unused) {\n  " + worker + R"(
  return unused;
}
static void audit(void) {
  )" + audit +
         R"(
}
int main(int count, char** words) {
  (void)words;
  if (count > 2) {
    fprintf(stderr, "usage: account [NAME]\n");
    return 2;
  }
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  audit();
  return 0;
}
)";
}

constexpr char kTake[] = R"(
static void take(int amount) {
  int seen = balance;
  balance = seen - amount;
})";
constexpr char kLockedTake[] = R"(
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void take(int amount) {
  pthread_mutex_lock(&lock);
  int seen = balance;
  balance = seen - amount;
  pthread_mutex_unlock(&lock);
})";

// So many schedules that there is no end to them.
constexpr char kNoise[] = "static int noise[2];\n";
constexpr char kNoisyWork[] =
    "for (int i = 0; i < 12; ++i) __atomic_fetch_add(&noise[i % 2], 1, 5);\n  take(10);";

class Regression : public testing::Test {
 protected:
  Result in_folder(std::vector<std::string> args) {
    return jostle(std::move(args), {.cwd = folder_.path()});
  }
  void make(const std::string& name, const std::string& source) { build(folder_, name, source); }

  // Builds a program, and keeps the failure that is found in the folder `regressions`.
  void record(const std::string& name, const std::string& source,
              const std::vector<std::string>& arguments = {}) {
    make(name, source);
    std::vector<std::string> args = {"fuzz", "--seed", "1",  "-n",       "3000",
                                     "-o",   "found",  "--", "./" + name};
    args.insert(args.end(), arguments.begin(), arguments.end());
    const Result found = in_folder(args);
    ASSERT_EQ(found.exit_code, 77) << found;
    fs::create_directories(folder_.path() / "regressions");
    for (const auto& entry : fs::directory_iterator(folder_.path() / "found" / name)) {
      if (!fs::exists(entry.path() / "replay.json")) continue;
      fs::copy(entry.path(), folder_.path() / "regressions" / name);
    }
  }

  Result replay(std::vector<std::string> options = {}) {
    std::vector<std::string> args = {"replay", "regressions", "-t", "2s"};
    args.insert(args.end(), options.begin(), options.end());
    return in_folder(args);
  }
  // The only finding of the document.
  Json only_finding() {
    const Result result = replay({"--format", "json"});
    const Json json = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(json.is_object() && json["findings"].size() == 1) << result;
    EXPECT_EQ(json["exit_code"], result.exit_code) << result;
    return json.is_object() && !json["findings"].empty() ? json["findings"][0] : Json::object();
  }

  TempDir folder_;
};

TEST_F(Regression, TheSameProgramStillFailsAsRecorded) {
  record("account", account("", kTake));
  const Result result = replay();
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out,
              ContainsRegex("^still there +regressions/account  assertion `balance == 80' in audit "
                            "at account.c:[0-9]+ \\(as recorded\\)\n"
                            "1 finding in [0-9.]+ s: 1 still there\n$"))
      << result;
  EXPECT_EQ(result.err,
            "jostle: to see the first that fails: jostle replay regressions/account/replay.json\n");
}

TEST_F(Regression, IsFollowedByNamesWhenTheCodeMoved) {
  record("account", account("", kTake));
  // Other addresses, other lines, and other numbers of the thread's events.
  make("account", account("// a new feature\nstatic int steps[3];\n"
                          "static void step(int i) {\n  steps[i]++;\n  steps[i] += 2;\n}\n",
                          kTake, "step(0);\n  step(1);\n  take(10);"));
  const Json finding = only_finding();
  EXPECT_EQ(finding["verdict"], "still_there") << finding;
  EXPECT_EQ(finding["found_by"], "names") << finding;
  EXPECT_EQ(finding["identity"], finding["seen_identity"]) << finding;
  const Result result = replay();
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, ContainsRegex("^still there .*\\(by names, [0-9]+ schedules\\)\n"));
  // The recording is the old build's: what is to be typed shows the failure in this one.
  EXPECT_EQ(finding["shown_by"],
            "jostle fuzz --strategy mutate --from regressions/account/replay.json -- ./account");
  const Result shown = in_folder({"fuzz", "--strategy", "mutate", "--from",
                                  "regressions/account/replay.json", "--", "./account"});
  EXPECT_THAT(shown.out, HasSubstr("assertion `balance == 80' in audit")) << shown;
}

TEST_F(Regression, IsFixedWhenNoScheduleAroundItFails) {
  record("account", account("", kTake));
  make("account", account("", kLockedTake));
  const Result result = replay();
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out,
              ContainsRegex("^fixed +regressions/account  assertion `balance == 80' .*\\(all there "
                            "are pass: [0-9,]+ schedules\\)\n1 finding in [0-9.]+ s: 1 fixed\n$"))
      << result;
  const Json finding = only_finding();
  EXPECT_EQ(finding["verdict"], "fixed") << finding;
  EXPECT_GT(finding["schedules"], 10) << finding;
  EXPECT_EQ(finding["seen"], nullptr) << finding;
}

TEST_F(Regression, ABugThatMovedToAFunctionOfAnotherNameIsStillThere) {
  record("account", account("", kTake));
  make("account", account("static int calls[2];\n",
                          "static void withdraw(int amount) {\n  int seen = balance;\n"
                          "  balance = seen - amount;\n}",
                          "calls[0]++;\n  calls[1]++;\n  withdraw(10);"));
  const Json finding = only_finding();
  EXPECT_EQ(finding["verdict"], "still_there") << finding;
}

TEST_F(Regression, CannotBeFollowedWhenItsFunctionIsGone) {
  record("account", account("", kTake));
  make("account", account("",
                          "static void withdraw(int amount) {\n"
                          "  __atomic_fetch_sub(&balance, amount, __ATOMIC_SEQ_CST);\n}",
                          "withdraw(10);"));
  const Result result = replay();
  EXPECT_EQ(result.exit_code, 78) << result;
  EXPECT_THAT(result.out, ContainsRegex("^cannot be followed +regressions/account  T[12] does not "
                                        "come to take any more; [0-9,]+ schedules, no failure\n"))
      << result;
}

TEST_F(Regression, AnotherFailureIsAFailure) {
  record("account", account("", kTake));
  make("account", account("", kLockedTake, "take(10);", "assert(balance < 0);"));
  const Result result = replay();
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, ContainsRegex("^another failure +regressions/account  assertion `balance "
                                        "< 0' .*; recorded was assertion `balance == 80'"))
      << result;
}

TEST_F(Regression, CannotBeFollowedWithoutItsProgram) {
  record("account", account("", kTake));
  fs::rename(folder_.path() / "account", folder_.path() / "renamed");
  const Result gone = replay();
  EXPECT_EQ(gone.exit_code, 78) << gone;
  EXPECT_THAT(gone.out, ContainsRegex("^cannot be followed .*account is missing"));
  // One that was renamed is meant for all, one that moved for those of its name.
  EXPECT_EQ(replay({"--program", "./renamed"}).exit_code, 77);
  fs::create_directory(folder_.path() / "bin");
  fs::rename(folder_.path() / "renamed", folder_.path() / "bin" / "account");
  EXPECT_EQ(replay({"--program", "bin/account"}).exit_code, 77);
  EXPECT_EQ(replay({"--program", "bin/nothing"}).exit_code, 3);
}

TEST_F(Regression, CannotBeFollowedWhenTheProgramRefusesItsArguments) {
  record("account", account("", kTake), {"me"});
  make("account", account("", kTake, "take(10);", "assert(balance == 80);"));
  Json recorded = Json::parse(read_file(folder_.path() / "regressions/account/replay.json"));
  recorded["program"]["args"].push_back("too many");
  folder_.write("regressions/account/replay.json", recorded.dump());
  const Result result = replay();
  EXPECT_EQ(result.exit_code, 78) << result;
  EXPECT_THAT(result.out, HasSubstr("before it starts a thread: exit status 2: usage: account"));
}

TEST_F(Regression, EachFindingHasItsOwnVerdict) {
  record("account", account("", kTake));
  record("log", kDeadlock);
  folder_.write("regressions/broken/replay.json", "{\"format\": \"jostle-replay\", ");
  const Result before = replay();
  EXPECT_EQ(before.exit_code, 77) << before;
  EXPECT_THAT(before.out, ContainsRegex("still there +regressions/account .*"
                                        "cannot be followed +regressions/broken .*truncated.*"
                                        "still there +regressions/log .*"
                                        "3 findings in [0-9.]+ s: 2 still there, 1 cannot be "
                                        "followed\n$"))
      << before;
  make("account", account("", kLockedTake));
  EXPECT_THAT(replay().out, HasSubstr("1 still there, 1 fixed, 1 cannot be followed\n"));
  fs::remove_all(folder_.path() / "regressions/log");
  const Result after = replay();
  EXPECT_EQ(after.exit_code, 78) << after;
  EXPECT_THAT(after.out, HasSubstr("1 fixed, 1 cannot be followed\n"));
}

// A dashboard must not be green where the exit code is not.
TEST_F(Regression, IsInTheFormatsOfOtherTools) {
  record("account", account("", kTake));
  const Result junit = replay({"--format", "junit"});
  EXPECT_EQ(junit.exit_code, 77) << junit;
  EXPECT_THAT(junit.out,
              AllOf(HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\""),
                    HasSubstr("name=\"regression regressions/account\""),
                    HasSubstr("message=\"still there: assertion"), HasSubstr("jostle replay ")));
  const Json sarif = Json::parse(replay({"--format", "sarif"}).out, nullptr, false);
  ASSERT_TRUE(sarif.is_object());
  const Json& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "jostle/assert");
  EXPECT_GT(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
  EXPECT_THAT(replay({"--format", "gcc"}).out, HasSubstr("error: still there: assertion"));
  const Result fuzz = in_folder({"fuzz", "--regress", "regressions", "-n", "20", "--format",
                                 "junit", "-o", "out", "--", "./account"});
  EXPECT_EQ(fuzz.exit_code, 77) << fuzz;
  EXPECT_THAT(read_file(folder_.path() / "out/account/junit.xml"), HasSubstr("failures=\"1\""));
  make("account", account("", kLockedTake));
  EXPECT_THAT(replay({"--format", "junit"}).out,
              AllOf(HasSubstr("failures=\"0\" errors=\"0\""), HasSubstr("fixed: ")));
}

TEST_F(Regression, AFailureByExitStatusIsKnownByWhatItSays) {
  const std::string fails =
      "if (balance != 80) { fprintf(stderr, \"lost %d\\n\", balance); _exit(3); }";
  const std::string head = "#include <unistd.h>\n";
  record("account", account(head, kTake, "take(10);", fails));
  make("account", account(head + "static int more;\n", kTake, "more++;\n  take(10);", fails));
  EXPECT_EQ(only_finding()["verdict"], "still_there");
  make("account", account(head, kLockedTake, "take(10);", fails));
  EXPECT_EQ(only_finding()["verdict"], "fixed");
}

TEST_F(Regression, ARaceThatWasAFailureIsOne) {
  make("account", account("", kTake, "take(10);", ""));
  const Result found = in_folder(
      {"fuzz", "--fail-on", "race", "--seed", "1", "-n", "100", "-o", "regressions", "./account"});
  ASSERT_EQ(found.exit_code, 77) << found;
  make("account", account("static int more;\n", kTake, "take(10);", "(void)more;"));
  EXPECT_EQ(only_finding()["verdict"], "still_there");
  make("account", account("", kLockedTake, "take(10);", ""));
  EXPECT_EQ(only_finding()["verdict"], "fixed");
}

TEST_F(Regression, AFolderWithoutFindingsIsAnError) {
  fs::create_directory(folder_.path() / "regressions");
  const Result empty = replay();
  EXPECT_EQ(empty.exit_code, 11) << empty;
  EXPECT_THAT(empty.err, StartsWith("jostle: regressions holds no findings"));
  folder_.write("regressions/notes.json", "{}");
  folder_.write("regressions/replay-original.json", "{\"format\": \"jostle-replay\"}");
  EXPECT_EQ(replay().exit_code, 11);
  EXPECT_EQ(in_folder({"replay", "nowhere"}).exit_code, 11);
}

TEST_F(Regression, TheFolderOfOneFindingIsReplayedAsThat) {
  record("account", account("", kTake));
  const Result one = in_folder({"replay", "regressions/account"});
  EXPECT_EQ(one.exit_code, 77) << one;
  EXPECT_THAT(one.err, HasSubstr("assertion `balance == 80'")) << one;
  EXPECT_EQ(in_folder({"replay", "regressions/account", "-t", "3s"}).exit_code, 2);
  EXPECT_EQ(in_folder({"replay", "regressions", "--gdb"}).exit_code, 2);
  EXPECT_EQ(in_folder({"replay", "regressions", "--format", "html"}).exit_code, 2);
}

TEST_F(Regression, ARunThatDidNotFailIsNoFinding) {
  record("account", account("", kTake));
  const Result saved =
      in_folder({"run", "--strategy", "none", "--save", "regressions/ok.json", "./account"});
  ASSERT_EQ(saved.exit_code, 0) << saved;
  const Result result = replay();
  EXPECT_THAT(result.out, HasSubstr("1 finding in")) << result;
  EXPECT_THAT(result.err, HasSubstr("regressions/ok.json: its run did not fail: left out"));
}

TEST_F(Regression, KeepsItsTime) {
  record("account", account(kNoise, kTake, kNoisyWork));
  make("account", account(kNoise, kLockedTake, kNoisyWork));
  const Result result = in_folder({"replay", "regressions", "-t", "1s"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_LT(result.seconds, 1 * 1.5 + 2) << result;
  const Result few = in_folder({"replay", "regressions", "-n", "50"});
  EXPECT_THAT(few.out, ContainsRegex("\\(50 schedules around it pass\\)")) << few;
}

// A property's failure goes with the input that it was found with.
TEST_F(Regression, APropertyIsTriedWithItsInput) {
  const auto make_property = [&](const std::string& add, const std::string& name = "add") {
    const std::string file = folder_.write("adds.cc", R"(
#include <jostle/jostle.hpp>
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> sum;
)" + add + R"(
int main() {
  jostle::property("adds", jostle::gen::range(0, 1000), [](int n) {
    sum = 0;
    std::thread a()" + name + ", n), b(" + name + R"(, n);
    a.join();
    b.join();
    assert(sum == 2 * n || n < 700);
  });
}
)");
    const Result built =
        jostle({"c++", "-std=c++20", "-g", "-O1", "-I" JOSTLE_SOURCE_DIR "/include", file, "-o",
                folder_.file("adds")});
    ASSERT_TRUE(built.ok()) << built;
  };
  const std::string body = "(int n) {\n  const int seen = sum;\n  sum = seen + n;\n}\n";
  make_property("static void add" + body);
  const Result found = run({folder_.file("adds")}, {.cwd = folder_.path()});
  ASSERT_EQ(found.signal, SIGABRT) << found;
  fs::rename(folder_.path() / "jostle-out", folder_.path() / "regressions");
  EXPECT_EQ(only_finding()["found_by"], "recording");
  // Another name, and other events before it: the search has the input, too.
  make_property("static std::atomic<int> calls;\nstatic void plus" +
                    std::string(body).insert(body.find('{') + 1, "\n  calls++;\n  calls++;"),
                "plus");
  EXPECT_EQ(only_finding()["verdict"], "still_there");
  make_property("static void add(int n) {\n  sum += n;\n}\n");
  const Json fixed = only_finding();
  EXPECT_EQ(fixed["verdict"], "fixed") << fixed;
  EXPECT_GT(fixed["schedules"], 10) << fixed;
}

// Recorded there, checked in, and built here.
TEST_F(Regression, IsFollowedWhereItWasNotRecorded) {
  record("account", account("", kTake));
  const TempDir here;
  fs::rename(folder_.path() / "regressions", here.path() / "regressions");
  fs::remove_all(folder_.path() / "account");
  const Result nothing = jostle({"replay", "regressions"}, {.cwd = here.path()});
  EXPECT_EQ(nothing.exit_code, 78) << nothing;
  build(here, "account", account("static int more;\n", kTake, "more++;\n  take(10);"));
  const Result there = jostle({"replay", "regressions"}, {.cwd = here.path()});
  EXPECT_EQ(there.exit_code, 77) << there;
  EXPECT_THAT(there.out, HasSubstr("by names")) << there;
}

// A recording may be anybody's: it does not start what was not built with jostle.
TEST_F(Regression, RunsNoProgramOfTheSystem) {
  record("account", account("", kTake));
  const fs::path file = folder_.path() / "regressions/account/replay.json";
  Json recorded = Json::parse(read_file(file));
  recorded["program"]["absolute"] = recorded["program"]["path"] = "/bin/touch";
  recorded["program"]["args"] = {folder_.file("touched")};
  folder_.write("regressions/account/replay.json", recorded.dump());
  const Result result = replay();
  EXPECT_EQ(result.exit_code, 78) << result;
  EXPECT_THAT(result.out, HasSubstr("which was not built with jostle")) << result;
  EXPECT_FALSE(fs::exists(folder_.file("touched")));
}

TEST_F(Regression, AnInterruptedOneTellsWhatItKnows) {
  record("account", account(kNoise, kTake, kNoisyWork));
  fs::copy(folder_.path() / "regressions/account", folder_.path() / "regressions/second");
  make("account", account(kNoise, kLockedTake, kNoisyWork));
  const Result result = run({"timeout", "--preserve-status", "-s", "INT", "1", jostle_bin(),
                             "replay", "regressions", "-t", "60s"},
                            {.cwd = folder_.path()});
  EXPECT_EQ(result.exit_code, 130) << result;
  EXPECT_THAT(result.out, HasSubstr("0 findings in 1.")) << result;
  EXPECT_THAT(result.out, HasSubstr("; interrupted\n")) << result;
  EXPECT_LT(result.seconds, 10) << result;
}

TEST_F(Regression, FuzzTriesThemFirstAndTellsThemOnce) {
  record("account", account("", kTake));
  record("log", kDeadlock);  // another program's
  const Result there = in_folder(
      {"fuzz", "--regress", "regressions", "-n", "300", "-k", "--fresh", "-o", "out", "./account"});
  EXPECT_EQ(there.exit_code, 77) << there;
  EXPECT_THAT(there.out, StartsWith("still there "));
  EXPECT_THAT(there.out, HasSubstr("1 finding in ")) << there;
  EXPECT_THAT(there.out, Not(HasSubstr("FAILED"))) << there;
  EXPECT_THAT(there.out, HasSubstr("no other failure in ")) << there;
  const Json stats = Json::parse(read_file(folder_.path() / "out/account/stats.json"));
  EXPECT_EQ(stats["regressions"][0]["verdict"], "still_there") << stats;
  EXPECT_EQ(stats["exit_code"], 77);

  make("account", account("", kLockedTake));
  const Result fixed =
      in_folder({"fuzz", "--regress", "regressions", "-t", "4s", "-n", "300", "./account"});
  EXPECT_EQ(fixed.exit_code, 0) << fixed;
  EXPECT_THAT(fixed.out, StartsWith("fixed ")) << fixed;
  EXPECT_LT(fixed.seconds, 4 * 1.5 + 2) << fixed;
  EXPECT_EQ(in_folder({"fuzz", "--regress", "nowhere", "-n", "10", "./account"}).exit_code, 11);
  // Whose it was, nobody can say.
  folder_.write("damaged/replay.json", "{\"format\": \"jostle-replay\", ");
  const Result damaged = in_folder({"fuzz", "--regress", "damaged", "-n", "10", "./account"});
  EXPECT_EQ(damaged.exit_code, 78) << damaged;
  EXPECT_THAT(damaged.out, StartsWith("cannot be followed "));
}

}  // namespace
}  // namespace jostle::test
