// SPDX-License-Identifier: Apache-2.0
// A campaign as a folder: several workers, each a command of its own as on as many machines, that
// know of each other through files alone.
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
#include <random>
#include <thread>

#include "tests/e2e/children.h"
#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

// Many data flows, no failure.
constexpr char kManyFlows[] = R"(
#include <pthread.h>
static volatile int a, b, c, d, seen;
static void* set(void* unused) { a = 1; b = 1; a = 2; b = 2; c = a; d = b; return unused; }
static void* look(void* unused) { seen = a + 2 * b; seen = b + 2 * a; seen = a; c = d; return unused; }
static void* reset(void* unused) { b = 0; a = seen; d = c; return unused; }
int main(void) {
  void* (*const all[])(void*) = {set, look, reset, look, set, reset};
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], 0, all[i], 0);
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], 0);
  return 0;
}
)";

// The same, with two failures that every worker finds.
constexpr char kTwoFailures[] = R"(
#include <assert.h>
#include <pthread.h>
static volatile int a, b, seen;
static void* set(void* unused) { a = 1; b = 1; seen = a + b; a = 0; b = 0; return unused; }
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, set, 0);
  assert(a == 0);
  assert(b == 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}
)";

class CampaignFolder : public testing::Test {
 protected:
  // A worker that runs while others do; its output goes to <name>.out.
  pid_t start(const std::string& name, std::vector<std::string> words) {
    words.insert(words.begin(), {jostle_bin(), "fuzz", "--campaign", campaign()});
    return children_.start(std::move(words), folder_.path(), folder_.file(name + ".out"), true);
  }
  int end_of(pid_t child) { return children_.end_of(child); }
  void kill_hard(pid_t child) { children_.kill_hard(child); }

  Result fuzz(std::vector<std::string> words, RunOptions options = {}) {
    words.insert(words.begin(), {"fuzz", "--campaign", campaign()});
    options.cwd = folder_.path();
    return jostle(words, options);
  }
  std::string campaign() const { return folder_.file("campaign"); }
  fs::path build_folder() const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(campaign(), none)) {
      if (entry.is_directory() && entry.path().filename() != "inputs") return entry.path();
    }
    return {};
  }
  std::vector<std::string> names(const std::string& inside, const std::string& beginning) const {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(build_folder() / inside, error)) {
      const std::string name = entry.path().filename();
      if (name.starts_with(beginning)) found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  void wait_for_segment(const std::string& worker) const {
    while (!fs::exists(build_folder() / worker / "0000000001.seg")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  json heartbeat(const std::string& worker) const {
    return json::parse(read_file(build_folder() / worker / "heartbeat"), nullptr, false);
  }

  TempDir folder_;
  Children children_;
};

TEST_F(CampaignFolder, WhatOneWorkerFoundTheNextKnows) {
  const std::string program = build(folder_, "flows", kManyFlows);
  const Result first = fuzz({"-t", "3s", "--worker", "0/2", program});
  ASSERT_EQ(first.exit_code, 0) << first;
  EXPECT_THAT(first.out, HasSubstr("all workers: jostle status"));
  const json before = heartbeat("w000000");
  EXPECT_EQ(before["ended"], true);
  EXPECT_GT(before["pairs"], 10);
  EXPECT_GT(before["schedules"], 100);

  const Result second = fuzz({"-t", "1s", "--worker", "1/2", program});
  ASSERT_EQ(second.exit_code, 0) << second;
  const json after = heartbeat("w000001");
  EXPECT_GE(after["pairs"], before["pairs"]);
  EXPECT_GE(after["corpus"].get<int>(), 1);
  // Each has a seed of its own.
  EXPECT_NE(json::parse(read_file(build_folder() / "w000000/info.json"))["seed"],
            json::parse(read_file(build_folder() / "w000001/info.json"))["seed"]);
}

TEST_F(CampaignFolder, WorkersTakeNamesThatNobodyHad) {
  const std::string program = build(folder_, "flows", kManyFlows);
  fuzz({"-n", "20", "--worker", "3/8", program});
  fuzz({"-n", "20", "--worker", "3/8", program});
  fuzz({"-n", "20", program});
  fuzz({"-n", "20", program}, {.env = {{"SLURM_ARRAY_TASK_ID", "12"},
                                       {"SLURM_ARRAY_TASK_COUNT", "4"},
                                       {"SLURM_ARRAY_TASK_MIN", "10"}}});
  EXPECT_THAT(names("", "w"), testing::ElementsAre("w000002", "w000003", "w000003.1", "w000004"));
}

TEST_F(CampaignFolder, EachFailureIsThereOnce) {
  const std::string program = build(folder_, "twice", kTwoFailures);
  std::vector<pid_t> workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(start("w" + std::to_string(i),
                            {"-k", "-t", "3s", "--worker", std::to_string(i) + "/3", program}));
  }
  for (const pid_t worker : workers) EXPECT_EQ(end_of(worker), 77);
  const std::vector<std::string> findings = names("findings", "");
  EXPECT_EQ(findings.size(), 2u);
  for (const std::string& finding : findings) {
    EXPECT_THAT(finding, ContainsRegex("^assert-[0-9a-f]{16}$"));
    const Result replay = jostle({"replay", build_folder() / "findings" / finding / "replay.json"});
    EXPECT_EQ(replay.exit_code, 77) << replay;
  }
  EXPECT_THAT(
      jostle({"status", campaign()}).out,
      ContainsRegex("  assertion `.*' in .* at twice.c:[0-9]+ \\(seen by [123] workers?\\)"));
  // One who comes later counts what is known, and tells nothing again.
  const Result late = fuzz({"-k", "-t", "2s", program});
  EXPECT_EQ(late.exit_code, 77) << late;
  EXPECT_THAT(late.out,
              AllOf(testing::Not(HasSubstr("report.html")), HasSubstr("no other failure")));
  EXPECT_THAT(late.err, HasSubstr("2 failures found by other workers"));
}

TEST_F(CampaignFolder, WithoutKeepGoingTheFirstFailureEndsAll) {
  const std::string program = build(folder_, "flows", kManyFlows);
  const pid_t worker = start("waits", {"-t", "50s", program});
  while (names("", "w").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // Somebody has found something.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  fs::create_directories(build_folder() / "findings/assert-0123456789abcdef");
  EXPECT_EQ(end_of(worker), 77);
  EXPECT_THAT(read_file(folder_.file("waits.out")), HasSubstr("1 failure found by other workers"));
}

TEST_F(CampaignFolder, OtherProgramsAndOptionsAreRefused) {
  const std::string program = build(folder_, "flows", kManyFlows);
  const std::string other = build(folder_, "twice", kTwoFailures);
  ASSERT_EQ(fuzz({"-n", "10", program}).exit_code, 0);
  const Result wrong = fuzz({"-n", "10", other});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("it is of flows, not of twice"));
  const Result options = fuzz({"-n", "10", "--strategy", "pos", program});
  EXPECT_EQ(options.exit_code, 2);
  EXPECT_THAT(options.err, HasSubstr("begun with --strategy portfolio, not pos"));
  EXPECT_EQ(fuzz({"-n", "10", "--seed", "1", program}).exit_code, 2);
  EXPECT_EQ(names("", "w").size(), 1u);  // who was refused has left nothing
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--each-test", program},
                                                {"-o", "out", program},
                                                {"--strategy", "dpor", program},
                                                {"--worker", "4/4", program}}) {
    EXPECT_EQ(fuzz(words).exit_code, 2) << words[0];
  }
  EXPECT_EQ(jostle({"fuzz", "--worker", "1/2", program}).exit_code, 2);
}

TEST_F(CampaignFolder, AFolderThatCannotBeMadeIsAnError) {
  const std::string program = build(folder_, "flows", kManyFlows);
  folder_.write("campaign", "a file");
  const Result result = fuzz({"-n", "10", program});
  EXPECT_EQ(result.exit_code, 10) << result;
  EXPECT_THAT(result.err, HasSubstr("cannot write"));
}

// A second build of the program has a folder of its own; inputs are for both.
TEST_F(CampaignFolder, BuildsAreKeptApart) {
  const std::string program = build(folder_, "flows", kManyFlows);
  ASSERT_EQ(fuzz({"-n", "10", program}).exit_code, 0);
  build(folder_, "flows", std::string(kManyFlows) + "int other;");
  ASSERT_EQ(fuzz({"-n", "10", program}).exit_code, 0);
  int builds = 0;
  for (const auto& entry : fs::directory_iterator(campaign())) builds += entry.is_directory();
  EXPECT_EQ(builds, 2);
}

TEST_F(CampaignFolder, WhatIsDamagedIsLeftOut) {
  const std::string program = build(folder_, "flows", kManyFlows);
  ASSERT_EQ(fuzz({"-n", "100", program}).exit_code, 0);
  const fs::path segment = build_folder() / "w000000/0000000001.seg";
  ASSERT_TRUE(fs::exists(segment));
  fs::resize_file(segment, fs::file_size(segment) / 2);
  const Result next = fuzz({"-n", "100", program});
  EXPECT_EQ(next.exit_code, 0) << next;
  EXPECT_THAT(next.err, HasSubstr("1 segment of other workers could not be read"));
}

TEST_F(CampaignFolder, StatusSaysHowItIs) {
  EXPECT_EQ(jostle({"status", campaign()}).exit_code, 11);
  EXPECT_EQ(jostle({"status"}).exit_code, 2);
  const std::string program = build(folder_, "flows", kManyFlows);
  const pid_t worker = start("runs", {"-t", "50s", "--worker", "1/4", program});
  wait_for_segment("w000001");
  const Result running = jostle({"status", campaign()});
  EXPECT_EQ(running.exit_code, 0) << running;
  EXPECT_THAT(running.out, AllOf(HasSubstr("workers: 1 running"), HasSubstr("no failure"),
                                 HasSubstr("if it is drawn like these"), HasSubstr("w000001")));
  kill_hard(worker);
  EXPECT_THAT(jostle({"status", campaign()}).out, HasSubstr("workers: 1 dead"));
  // On another machine the process cannot be seen. Nobody waits a minute here: its heart stopped
  // an hour ago.
  const fs::path info_file = build_folder() / "w000001/info.json";
  json info = json::parse(read_file(info_file));
  info["mark"] = "another boot " + info["mark"].get<std::string>();
  std::ofstream(info_file) << info;
  EXPECT_THAT(jostle({"status", campaign()}).out, HasSubstr("workers: 1 running"));
  const fs::path heartbeat = build_folder() / "w000001/heartbeat";
  fs::last_write_time(heartbeat, fs::last_write_time(heartbeat) - std::chrono::hours(1));
  const Result dead = jostle({"status", "--watch", campaign()});
  EXPECT_THAT(dead.out, AllOf(HasSubstr("workers: 1 dead"), HasSubstr("silent for 60 min")));
  const json status = json::parse(jostle({"status", "--json", campaign()}).out, nullptr, false);
  ASSERT_TRUE(status.is_object());
  EXPECT_EQ(status["workers_dead"], 1);
  EXPECT_GT(status["rf_pairs"], 10);
  EXPECT_GT(status["thoroughness"]["classes"], 10);
  EXPECT_EQ(status["worker_list"][0]["name"], "w000001");
  // Without a heartbeat its folder tells: a worker that has just begun is not dead.
  fs::remove(heartbeat);
  EXPECT_THAT(jostle({"status", campaign()}).out, HasSubstr("workers: 1 running"));
  fs::last_write_time(build_folder() / "w000001",
                      fs::last_write_time(build_folder() / "w000001") - std::chrono::hours(1));
  EXPECT_THAT(jostle({"status", campaign()}).out,
              AllOf(HasSubstr("workers: 1 dead"), HasSubstr("silent for 60 min")));
  fs::create_directory(fs::path(campaign()) / std::string(40, '0'));
  for (const char* command : {"status", "report"}) {
    EXPECT_THAT(jostle({command, campaign()}).err, HasSubstr("2 builds of the program")) << command;
  }
}

TEST_F(CampaignFolder, StopEndsAllWorkers) {
  const std::string program = build(folder_, "flows", kManyFlows);
  const pid_t one = start("one", {"-t", "50s", program});
  const pid_t two = start("two", {"-t", "50s", program});
  while (names("", "w").size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(jostle({"stop", campaign()}).exit_code, 0);
  EXPECT_EQ(end_of(one), 0);
  EXPECT_EQ(end_of(two), 0);
  EXPECT_THAT(read_file(folder_.file("one.out")), HasSubstr("jostle stop has ended the campaign"));
  EXPECT_EQ(heartbeat("w000000")["state"], "stopped");
  const Result late = fuzz({"-n", "10", program});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_THAT(late.err, HasSubstr("jostle stop --undo"));
  EXPECT_EQ(jostle({"stop", "--undo", campaign()}).exit_code, 0);
  EXPECT_EQ(fuzz({"-n", "10", program}).exit_code, 0);
}

TEST_F(CampaignFolder, ReportIsOnePageOverAllWorkers) {
  const std::string program = build(folder_, "twice", kTwoFailures);
  for (const char* worker : {"0/2", "1/2"}) fuzz({"-k", "-t", "2s", "--worker", worker, program});
  const Result text = jostle({"report", campaign()});
  EXPECT_EQ(text.exit_code, 0) << text;
  EXPECT_THAT(text.out, HasSubstr("twice: 2 failures"));
  EXPECT_TRUE(fs::exists(fs::path(campaign()) / "index.html"));
  const json page = json::parse(jostle({"report", "--format", "json", campaign()}).out);
  EXPECT_EQ(page["workers"].size(), 2u);
  EXPECT_GE(page["plot"].size(), 3u);
  uint64_t schedules = 0;
  for (const json& worker : page["workers"]) schedules += worker["schedules"].get<uint64_t>();
  EXPECT_EQ(page["plot"].back()["schedules"], schedules);
  EXPECT_EQ(page["plot"].back()["failures"], 2);
  ASSERT_EQ(page["findings"].size(), 2u);
  const std::string report = page["findings"][0]["report"];
  EXPECT_TRUE(fs::exists(fs::path(campaign()) / report)) << report;
}

// Which of the threads it was, and which came first, may differ from worker to worker.
TEST_F(CampaignFolder, RacesOfAllWorkersAreReportedOnce) {
  const std::string program = build(folder_, "racy", R"(
#include <pthread.h>
static int hits;
static void* work(void* unused) { ++hits; return unused; }
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}
)");
  for (const char* worker : {"0/3", "1/3", "2/3"}) {
    ASSERT_EQ(fuzz({"-n", "50", "--worker", worker, program}).exit_code, 0);
  }
  const Result status = jostle({"status", campaign()});
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_THAT(status.out, AllOf(HasSubstr("no failure"), HasSubstr("data races at ")));
  const std::string report = jostle({"report", campaign()}).out;
  const size_t first = report.find("data race on hits");
  ASSERT_NE(first, std::string::npos) << report;
  EXPECT_EQ(report.find("data race on hits", first + 1), std::string::npos) << report;
}

TEST_F(CampaignFolder, MergeSumsUpForThoseWhoComeLater) {
  const std::string program = build(folder_, "flows", kManyFlows);
  ASSERT_EQ(fuzz({"-t", "2s", program}).exit_code, 0);
  const json before = heartbeat("w000000");
  const Result merged = jostle({"merge", campaign()}, {.cwd = folder_.path()});
  EXPECT_EQ(merged.exit_code, 0) << merged;
  EXPECT_THAT(merged.out, ContainsRegex("pairs of 1 worker: .*distilled/0000000001.seg"));
  // One file is enough.
  for (const std::string& name : names("w000000", "")) {
    if (name.ends_with(".seg")) fs::remove(build_folder() / "w000000" / name);
  }
  ASSERT_EQ(fuzz({"-n", "1", program}).exit_code, 0);
  EXPECT_GE(heartbeat("w000001")["pairs"], before["pairs"]);
  EXPECT_EQ(jostle({"merge", folder_.file("nowhere")}).exit_code, 3);
  const Result no_campaign = jostle({"merge", folder_.path()});
  EXPECT_EQ(no_campaign.exit_code, 11);
  EXPECT_THAT(no_campaign.err, HasSubstr("no campaign in"));
}

// A file server that is away, a full disk: nothing can be written, and then it can.
TEST_F(CampaignFolder, WhatCannotBeWrittenIsWrittenLater) {
  const std::string program = build(folder_, "flows", kManyFlows);
  const pid_t worker = start("away", {"-t", "6s", program});
  wait_for_segment("w000000");
  fs::rename(campaign(), folder_.file("elsewhere"));
  std::this_thread::sleep_for(std::chrono::seconds(3));
  fs::rename(folder_.file("elsewhere"), campaign());
  EXPECT_EQ(end_of(worker), 0);
  EXPECT_THAT(read_file(folder_.file("away.out")),
              AllOf(HasSubstr("cannot write"), HasSubstr("the search goes on")));
  const json status = json::parse(jostle({"status", "--json", campaign()}).out, nullptr, false);
  EXPECT_EQ(status["segments_left_out"], 0);
  EXPECT_EQ(status["schedules"], heartbeat("w000000")["schedules"]);
  EXPECT_EQ(status["thoroughness"]["runs"], heartbeat("w000000")["schedules"]);
}

// Workers are killed as clusters do: at any moment. What was told stays, nothing is half there, and
// who comes last knows what they knew.
TEST_F(CampaignFolder, KilledWorkersLoseNothingThatWasTold) {
  const std::string program = build(folder_, "twice", kTwoFailures);
  const int kills = long_or_short(120, 5);
  std::mt19937 random(1);
  std::vector<pid_t> workers;
  for (int i = 0; i < 3; ++i)
    workers.push_back(start("w" + std::to_string(i), {"-k", "-t", "300s", program}));
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500 + random() % 500));
    pid_t& victim = workers[random() % workers.size()];
    kill_hard(victim);
    victim = start("again" + std::to_string(i), {"-k", "-t", "300s", program});
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  for (const pid_t worker : workers) kill_hard(worker);

  const std::vector<std::string> findings = names("findings", "");
  EXPECT_EQ(findings.size(), 2u);
  for (const std::string& finding : findings) {
    EXPECT_EQ(jostle({"replay", build_folder() / "findings" / finding / "replay.json"}).exit_code,
              77);
    EXPECT_TRUE(fs::exists(build_folder() / "findings" / finding / "report.html"));
  }
  EXPECT_EQ(names("", "w").size(), static_cast<size_t>(kills) + 3);
  const Result last = fuzz({"-k", "-t", "2s", program});
  EXPECT_EQ(last.exit_code, 77) << last;
  EXPECT_THAT(last.err, testing::Not(HasSubstr("could not be read")));
  EXPECT_THAT(last.err, HasSubstr("2 failures found by other workers"));
}

TEST_F(CampaignFolder, InputsAreForAllWorkersAndBuilds) {
  const std::string program = test::program("gcc", "inputs/orders");
  folder_.write("corpus/a", "nothing");
  const std::vector<std::string> words = {
      "-k", "-t", "3s", "--minimize", "off", "--input", folder_.file("corpus"), program, "@@"};
  const Result first = fuzz(words);
  EXPECT_TRUE(first.exit_code == 0 || first.exit_code == 77) << first;
  size_t inputs = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(campaign()) / "inputs")) {
    EXPECT_THAT(entry.path().filename().string(), ContainsRegex("^[0-9a-f]{16}$"));
    ++inputs;
  }
  EXPECT_GT(inputs, 0u) << first;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() / "corpus"), {}), 1);
  const Result second = fuzz(words);
  EXPECT_THAT(second.err, HasSubstr("inputs: " + std::to_string(1 + inputs) + " given")) << second;
}

}  // namespace
}  // namespace jostle::test
