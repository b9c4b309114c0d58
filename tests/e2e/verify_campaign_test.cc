// SPDX-License-Identifier: Apache-2.0
// `jostle verify --campaign`: workers that have only a folder in common explore one search, and all
// of them say the same of it as one process does that is alone.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/children.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class VerifyCampaign : public testing::Test {
 protected:
  std::vector<std::string> words_of(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {"verify", "--campaign", campaign(), "--json"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  pid_t start(const std::string& name, const std::vector<std::string>& words) {
    std::vector<std::string> all = words_of(words);
    all.insert(all.begin(), jostle_bin());
    return children_.start(std::move(all), folder_.path(), folder_.file(name), false);
  }
  int end_of(pid_t child) { return children_.end_of(child); }
  void kill_hard(pid_t child) { children_.kill_hard(child); }
  Result verify(const std::vector<std::string>& words) {
    return jostle(words_of(words), {.cwd = folder_.path()});
  }
  Result status() { return jostle({"status", campaign()}); }
  json status_json() { return json::parse(jostle({"status", "--json", campaign()}).out); }
  std::string campaign() const { return folder_.file("campaign"); }

  std::vector<fs::path> files(const std::string& ending) const {
    std::vector<fs::path> found;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(campaign(), none)) {
      if (entry.path().extension() == ending) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  bool wait_for(const std::string& ending, size_t count) const {
    for (int i = 0; i < 2000 && files(ending).size() < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return files(ending).size() >= count;
  }

  TempDir folder_;
  Children children_;
};

// 19,605 executions, of which there is much to divide.
std::vector<std::string> fibonacci(std::vector<std::string> options = {}) {
  options.insert(options.end(), {"--", program("gcc", "verify/memory_counts"), "fib_bench", "4"});
  return options;
}
constexpr uint64_t kFibonacci = 19605;

void expect_verified(const std::string& text, uint64_t executions) {
  const json stats = json::parse(text, nullptr, false);
  ASSERT_TRUE(stats.is_object()) << text;
  EXPECT_EQ(stats.value("verdict", ""), "verified") << text;
  EXPECT_EQ(stats.value("executions", 0u), executions);
  EXPECT_EQ(stats.value("redundant", 1u), 0u);
  EXPECT_EQ(stats.value("units_open", 1u), 0u);
  EXPECT_GT(stats.value("units_closed", 0u), 0u);
  EXPECT_FALSE(stats["assumptions"].empty());
}

TEST_F(VerifyCampaign, HasEveryExecutionOnceWhateverTheNumberOfWorkers) {
  for (const int workers : {1, 2, 4}) {
    fs::remove_all(campaign());
    std::vector<pid_t> all;
    for (int i = 0; i < workers; ++i) {
      all.push_back(start("out" + std::to_string(i), fibonacci()));
    }
    for (const pid_t child : all) EXPECT_EQ(end_of(child), 0);
    for (int i = 0; i < workers; ++i) {
      expect_verified(read_file(folder_.file("out" + std::to_string(i))), kFibonacci);
    }
    expect_verified(status_json().dump(), kFibonacci);
  }
  // Whoever comes later has nothing to do, and says the same.
  const Result again = verify(fibonacci());
  EXPECT_EQ(again.exit_code, 0) << again;
  expect_verified(again.out, kFibonacci);
  EXPECT_EQ(json::parse(again.out)["schedules"], 0u);
  EXPECT_THAT(status().out,
              AllOf(HasSubstr("VERIFIED: all 19,605 executions"), HasSubstr(" closed, 0 open"),
                    testing::Not(HasSubstr("data flow"))));
  EXPECT_THAT(jostle({"report", campaign()}).out, HasSubstr("verified  19,605 executions"));
}

TEST_F(VerifyCampaign, GoesOnWhereADeadWorkerWas) {
  const pid_t first = start("first", fibonacci({"--lease", "2s"}));
  ASSERT_TRUE(wait_for(".done", 4));
  kill_hard(first);
  EXPECT_EQ(status_json()["verdict"], "incomplete");
  const Result second = verify(fibonacci({"--lease", "2s"}));
  EXPECT_EQ(second.exit_code, 0) << second;
  expect_verified(second.out, kFibonacci);
}

// It was thought to be dead, and does what somebody else has done meanwhile.
TEST_F(VerifyCampaign, CountsAUnitOnceThatTwoHaveDone) {
  const pid_t first = start("first", fibonacci({"--lease", "2s"}));
  ASSERT_TRUE(wait_for(".done", 4));
  kill(-first, SIGSTOP);
  kill(first, SIGSTOP);
  const Result second = verify(fibonacci({"--lease", "2s"}));
  EXPECT_EQ(second.exit_code, 0) << second;
  expect_verified(second.out, kFibonacci);
  kill(first, SIGCONT);
  kill(-first, SIGCONT);
  EXPECT_EQ(end_of(first), 0);
  expect_verified(read_file(folder_.file("first")), kFibonacci);
  // The same, made by copying.
  for (const fs::path& file : files(".done")) {
    const std::string name = file.filename();
    const std::string other = name.substr(0, name.find('.')) + ".w000009.done";
    fs::copy_file(file, file.parent_path() / other, fs::copy_options::skip_existing);
  }
  expect_verified(status_json().dump(), kFibonacci);
}

TEST_F(VerifyCampaign, GoesOnAfterItsTimeIsOver) {
  uint64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    const Result part = verify(fibonacci({"-n", "3000"}));
    const json stats = json::parse(part.out);
    EXPECT_GE(stats["executions"], before);
    before = stats["executions"];
    if (part.exit_code == 0) {
      EXPECT_GE(i, 5);
      expect_verified(part.out, kFibonacci);
      return;
    }
    ASSERT_EQ(part.exit_code, 20) << part;
    EXPECT_THAT(stats["verdict_reason"].get<std::string>(), HasSubstr(" open"));
  }
  FAIL() << "it never came to its end";
}

// What a unit has left is gone on with, not begun anew.
TEST_F(VerifyCampaign, KeepsWhatItHasDoneOfAUnit) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(verify(fibonacci({"-n", "100"})).exit_code, 20);
  EXPECT_FALSE(files(".part").empty());
  EXPECT_FALSE(files(".done").empty());  // the first has 256 runs
}

TEST_F(VerifyCampaign, AFailureEndsAllWorkers) {
  const std::string shop = program("gcc", "bugs/check_then_act");
  const Result first = verify({"--", shop});
  EXPECT_EQ(first.exit_code, 77) << first;
  EXPECT_EQ(json::parse(first.out)["verdict"], "failed");
  const Result second = verify({"--", shop});
  EXPECT_EQ(second.exit_code, 77) << second;
  EXPECT_EQ(json::parse(second.out)["verdict"], "failed");
  EXPECT_THAT(second.err, HasSubstr("1 failure found by other workers"));
  const Result seen = status();
  EXPECT_EQ(seen.exit_code, 77);
  EXPECT_THAT(seen.out, AllOf(HasSubstr("FAILED"), Not(HasSubstr("VERIFIED"))));
  const std::vector<fs::path> replays = files(".json");
  EXPECT_TRUE(std::any_of(replays.begin(), replays.end(),
                          [](const fs::path& path) { return path.filename() == "replay.json"; }));
}

TEST_F(VerifyCampaign, ADamagedFileIsNoProof) {
  ASSERT_EQ(verify(fibonacci()).exit_code, 0);
  const std::vector<fs::path> answers = files(".done");
  ASSERT_GT(answers.size(), 4u);
  const std::string whole = read_file(answers[2]);
  std::string wrong = whole;
  wrong[wrong.size() / 2] ^= 1;
  for (const std::string& bytes : {wrong, whole.substr(0, whole.size() / 2), std::string()}) {
    std::ofstream(answers[2], std::ios::binary | std::ios::trunc) << bytes;
    const Result seen = status();
    EXPECT_THAT(seen.out,
                AllOf(HasSubstr("INCOMPLETE"), HasSubstr("damaged"),
                      HasSubstr(answers[2].filename().string()), Not(HasSubstr("VERIFIED"))));
    EXPECT_EQ(status_json()["units_damaged"], 1u);
  }
  // Somebody explores the unit again.
  const Result again = verify(fibonacci());
  EXPECT_EQ(again.exit_code, 0) << again;
  expect_verified(again.out, kFibonacci);
  EXPECT_EQ(files(".done").size(), answers.size() + 1);
}

TEST_F(VerifyCampaign, RefusesWhatIsAnotherSearch) {
  ASSERT_EQ(verify(fibonacci()).exit_code, 0);
  const std::string memory = program("gcc", "verify/memory_counts");
  const Result arguments = verify({"--", memory, "fib_bench", "3"});
  EXPECT_EQ(arguments.exit_code, 2) << arguments;
  EXPECT_THAT(arguments.err, HasSubstr("another campaign is in"));
  const Result options = verify(fibonacci({"--time-outs=any"}));
  EXPECT_EQ(options.exit_code, 2) << options;
  EXPECT_THAT(options.err, HasSubstr("--time-outs late, not any"));
  const Result input = jostle(words_of(fibonacci()), {.input = "something"});
  EXPECT_EQ(input.exit_code, 2) << input;
  EXPECT_THAT(input.err, HasSubstr("standard input"));
  const Result fuzzing = jostle({"fuzz", "--campaign", campaign(), "--", memory, "fib_bench", "4"});
  EXPECT_EQ(fuzzing.exit_code, 2) << fuzzing;
  // As on another machine.
  for (const auto& entry : fs::recursive_directory_iterator(campaign())) {
    if (entry.path().filename() != "libraries") continue;
    const std::string list = read_file(entry.path());
    std::ofstream(entry.path(), std::ios::trunc) << list << "libother.so 0-0 0\n";
    const Result elsewhere = verify(fibonacci());
    EXPECT_EQ(elsewhere.exit_code, 2) << elsewhere;
    EXPECT_THAT(elsewhere.err, HasSubstr("other libraries"));
    std::ofstream(entry.path(), std::ios::trunc) << list;
  }
  // The same name, another build.
  const std::string other = folder_.file("memory_counts");
  fs::copy_file(program("gcc", "bugs/check_then_act"), other);
  const Result build = verify({"--", other, "fib_bench", "4"});
  EXPECT_EQ(build.exit_code, 14) << build;
  EXPECT_THAT(build.err, HasSubstr("of another build of memory_counts"));
  for (const char* option : {"-k", "-j2", "--memory=c11", "--preemptions=2", "--resume"}) {
    EXPECT_EQ(verify(fibonacci({option})).exit_code, 2) << option;
  }
}

// Loops that wait are learned of on the way, and all begin anew.
TEST_F(VerifyCampaign, LearnsOfTheProgramTogether) {
  const std::string loops = program("gcc", "verify/loop_counts");
  const Result alone =
      jostle({"verify", "--json", "-o", folder_.file("out"), "--", loops, "peterson"});
  const pid_t first = start("first", {"--", loops, "peterson"});
  const Result second = verify({"--", loops, "peterson"});
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(second.exit_code, 0) << second;
  const json one = json::parse(alone.out), other = json::parse(second.out);
  EXPECT_EQ(one["executions"], other["executions"]);
  EXPECT_EQ(one["blocked"], other["blocked"]);
}

TEST_F(VerifyCampaign, EndsWhenItIsStopped) {
  const pid_t first =
      start("first", {"--", program("gcc", "verify/memory_counts"), "fib_bench", "7"});
  ASSERT_TRUE(wait_for(".done", 2));
  EXPECT_EQ(jostle({"stop", campaign()}).exit_code, 0);
  EXPECT_EQ(end_of(first), 20);
  EXPECT_EQ(json::parse(read_file(folder_.file("first")))["verdict"], "incomplete");
}

}  // namespace
}  // namespace jostle::test
