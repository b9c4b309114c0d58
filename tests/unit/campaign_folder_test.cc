// SPDX-License-Identifier: Apache-2.0
// A campaign as a folder: who joins it, under which name, what workers tell each other, and what
// happens to those who find something else there.
#include "src/cli/folder/campaign_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "src/cli/folder/campaign_view.h"
#include "src/cli/folder/campaign_worker.h"
#include "src/cli/folder/distilled.h"
#include "src/cli/folder/hub_exchange.h"
#include "src/cli/folder/new_file.h"
#include "src/cli/folder/other_workers.h"
#include "src/cli/folder/process_mark.h"
#include "src/cli/folder/worker_folder.h"
#include "src/cli/target/shared_channel.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Segment with_pairs(std::vector<uint64_t> pairs) {
  Segment segment;
  segment.pairs = std::move(pairs);
  return segment;
}

class CampaignFolders : public testing::Test {
 protected:
  CampaignFolders() {
    std::string name = (fs::temp_directory_path() / "jostle-campaign-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~CampaignFolders() override { fs::remove_all(path_); }

  static CampaignDescription description() {
    CampaignDescription own;
    own.program = "bank";
    own.path = "./bank";
    own.arguments = {"-x", "\xFF not text"};
    own.settings = {{"--strategy", "portfolio"}, {"--ok-exit", ""}};
    own.seed = 42;
    return own;
  }
  CampaignFolder begun() const {
    Result<CampaignFolder> folder = CampaignFolder::join(path_ + "/c", description(), false);
    EXPECT_TRUE(folder.ok()) << (folder.ok() ? "" : folder.error().message);
    return *folder;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }

  std::string path_;
};

TEST_F(CampaignFolders, TheFirstWorkerBeginsItAndTheNextJoins) {
  EXPECT_EQ(begun().description().seed, 42u);
  CampaignDescription later = description();
  later.seed = 7;
  later.path = "/elsewhere/bank";
  const Result<CampaignFolder> joined = CampaignFolder::join(path_ + "/c", later, false);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->description().seed, 42u);
  EXPECT_EQ(joined->description().arguments, description().arguments);
}

TEST_F(CampaignFolders, AnotherProgramOrOtherOptionsAreRefused) {
  begun();
  CampaignDescription other = description();
  other.program = "shop";
  EXPECT_THAT(CampaignFolder::join(path_ + "/c", other, false).error().message,
              HasSubstr("it is of bank"));
  other = description();
  other.settings[0].second = "pos";
  EXPECT_THAT(CampaignFolder::join(path_ + "/c", other, false).error().message,
              HasSubstr("begun with --strategy portfolio, not pos"));
  other = description();
  other.seed = 1;
  EXPECT_THAT(CampaignFolder::join(path_ + "/c", other, true).error().message,
              HasSubstr("has seed 42"));
}

TEST_F(CampaignFolders, WhatIsNoDescriptionIsNotOverwritten) {
  fs::create_directory(path_ + "/c");
  write("c/campaign.json", "{\"format\": \"something else\"}");
  EXPECT_EQ(CampaignFolder::join(path_ + "/c", description(), false).error().code,
            Exit::replay_invalid);
  write("c/campaign.json", "{\"format\": \"jostle-campaign-folder\", \"version\": 99}");
  EXPECT_EQ(CampaignFolder::join(path_ + "/c", description(), false).error().code,
            Exit::replay_newer);
  EXPECT_EQ(CampaignFolder::open(path_ + "/nowhere").error().code, Exit::replay_unreadable);
}

TEST_F(CampaignFolders, AreStoppedAndLetGoOn) {
  const CampaignFolder folder = begun();
  EXPECT_FALSE(folder.is_stopped());
  EXPECT_FALSE(folder.stop());
  EXPECT_FALSE(folder.stop());  // again: no error
  EXPECT_TRUE(folder.is_stopped());
  EXPECT_TRUE(*folder.undo_stop());
  EXPECT_FALSE(*folder.undo_stop());
  EXPECT_FALSE(folder.is_stopped());
}

TEST_F(CampaignFolders, NoWorkersNameIsUsedTwice) {
  const auto claim = [&](std::optional<uint32_t> index) {
    std::optional<WorkerPlace> place;
    if (index) place = WorkerPlace{*index, 20, "--worker"};
    return WorkerFolder::claim(path_ + "/build", place)->name();
  };
  EXPECT_EQ(claim(17), "w000017");
  EXPECT_EQ(claim(17), "w000017.1");
  EXPECT_EQ(claim(17), "w000017.2");
  EXPECT_EQ(claim(std::nullopt), "w000018");
  EXPECT_EQ(claim(3), "w000003");
  EXPECT_EQ(claim(std::nullopt), "w000019");
  EXPECT_TRUE(is_worker_name("w000017.2"));
  for (const char* name : {"w17", "w", "findings", "w00001x", "w000017.", "distilled"}) {
    EXPECT_FALSE(is_worker_name(name)) << name;
  }
}

TEST_F(CampaignFolders, AFileThatHasItsNameStaysAsItIs) {
  EXPECT_EQ(*write_new_file(path_ + "/a", "first", "x"), NewFile::written);
  EXPECT_EQ(*write_new_file(path_ + "/a", "second", "y"), NewFile::was_there);
  EXPECT_EQ(read_whole_file(path_ + "/a", 100), "first");
  EXPECT_EQ(read_whole_file(path_ + "/a", 4), std::nullopt);  // larger than wanted
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), fs::directory_iterator()), 1);
  EXPECT_THAT(write_new_file(path_ + "/no/where", "x", "x").error().message,
              HasSubstr("cannot write"));
}

// The folder was away when the file was to get its name, and came back with what was left in it.
TEST_F(CampaignFolders, WhatAFailedAttemptLeftIsNotTakenForTheFile) {
  WorkerFolder own = *WorkerFolder::claim(path_, std::nullopt);
  write("w000000/0000000001.seg.tmp-" + own_mark(), "half");
  write("w000000/0000000001.seg.tmp-" + own_mark() + "-0", "half");
  ASSERT_FALSE(own.write(with_pairs({7})));
  Segment read;
  const auto bytes = read_whole_file(own.path() + "/0000000001.seg", 1000);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(decode(*bytes, read), SegmentState::good);
}

TEST_F(CampaignFolders, HeartbeatsAreReadWithTheirAge) {
  const WorkerFolder own = *WorkerFolder::claim(path_ + "/build", std::nullopt);
  EXPECT_FALSE(read_heartbeat(own.path(), 0));
  Heartbeat heartbeat;
  heartbeat.progress.schedules = 123;
  heartbeat.note = "no space";
  ASSERT_FALSE(own.beat(heartbeat));
  const int64_t now = file_server_now(path_);
  const auto seen = read_heartbeat(own.path(), now + 100);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->heartbeat.progress.schedules, 123u);
  EXPECT_EQ(seen->heartbeat.note, "no space");
  EXPECT_GE(seen->age, std::chrono::seconds(99));
  write("build/w000000/heartbeat", "[1, 2");
  EXPECT_FALSE(read_heartbeat(own.path(), now));
}

TEST_F(CampaignFolders, OthersSegmentsAreReadOnceAndDamagedOnesLeftOut) {
  WorkerFolder one = *WorkerFolder::claim(path_, std::nullopt);
  WorkerFolder two = *WorkerFolder::claim(path_, std::nullopt);
  OtherWorkers others(path_, two.name(), 1);
  std::vector<uint64_t> seen;
  const auto take = [&](const std::string&, const Segment& segment) {
    seen.insert(seen.end(), segment.pairs.begin(), segment.pairs.end());
  };
  ASSERT_FALSE(one.write(with_pairs({1})));
  ASSERT_FALSE(two.write(with_pairs({2})));  // our own
  others.read_everything(take);
  EXPECT_THAT(seen, UnorderedElementsAre(1));
  write("w000000/0000000002.seg", "JSTLSEG\nnonsense");
  ASSERT_EQ(mkdir((path_ + "/w000000/0000000003.seg").c_str(), 0777), 0);
  write("w000000/0000000004.seg", encode(with_pairs({4})));
  others.read_everything(take);
  others.read_everything(take);
  EXPECT_THAT(seen, UnorderedElementsAre(1, 4));
  EXPECT_EQ(others.left_out(), 2u);
  others.skip("w000000", 5);
  write("w000000/0000000005.seg", encode(with_pairs({5})));
  write("w000000/0000000006.seg", encode(with_pairs({6})));
  others.read_everything(take);
  EXPECT_THAT(seen, UnorderedElementsAre(1, 4, 6));
}

TEST_F(CampaignFolders, AfterAllPartsEverybodyHasBeenRead) {
  std::vector<WorkerFolder> workers;
  for (uint64_t i = 0; i < 20; ++i) {
    workers.push_back(*WorkerFolder::claim(path_, std::nullopt));
    ASSERT_FALSE(workers.back().write(with_pairs({i})));
  }
  OtherWorkers others(path_, "", 1);
  std::vector<uint64_t> seen;
  const auto take = [&](const std::string&, const Segment& segment) {
    seen.insert(seen.end(), segment.pairs.begin(), segment.pairs.end());
  };
  const auto later = OtherWorkers::Clock::now() + std::chrono::hours(1);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(others.read_part(6, later, take));
    EXPECT_EQ(seen.size(), std::min<size_t>(20, 4 * (static_cast<size_t>(i) + 1)));
  }
  EXPECT_EQ(seen.size(), 20u);
  // Without time nothing is read, and nothing forgotten.
  ASSERT_FALSE(workers[3].write(with_pairs({100})));
  EXPECT_FALSE(others.read_part(1, OtherWorkers::Clock::now(), take));
  EXPECT_TRUE(others.read_part(1, later, take));
  EXPECT_EQ(seen.back(), 100u);
}

// As when somebody copies them in any order.
TEST_F(CampaignFolders, AMissingSegmentIsWaitedFor) {
  fs::create_directory(path_ + "/w000000");
  OtherWorkers others(path_, "", 1);
  std::vector<uint64_t> seen;
  const auto take = [&](const std::string&, const Segment& segment) {
    seen.insert(seen.end(), segment.pairs.begin(), segment.pairs.end());
  };
  const auto later = OtherWorkers::Clock::now() + std::chrono::hours(1);
  const auto read_all = [&] { return others.read_part(1, later, take); };
  write("w000000/0000000002.seg", encode(with_pairs({2})));
  for (int i = 0; i < 5; ++i) read_all();
  EXPECT_TRUE(seen.empty());
  write("w000000/0000000001.seg", encode(with_pairs({1})));
  read_all();
  EXPECT_THAT(seen, testing::ElementsAre(1, 2));
  write("w000000/0000000004.seg", encode(with_pairs({4})));
  for (int i = 0; i < 100; ++i) read_all();  // not for ever
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 4));
}

TEST_F(CampaignFolders, WhoOnlyLooksReadsBehindAMissingSegment) {
  fs::create_directory(path_ + "/w000000");
  OtherWorkers others(path_, "", 1);
  std::vector<uint64_t> seen;
  const auto take = [&](const std::string&, const Segment& segment) {
    seen.insert(seen.end(), segment.pairs.begin(), segment.pairs.end());
  };
  write("w000000/0000000003.seg", encode(with_pairs({3})));
  write("w000000/0000000009.seg", encode(with_pairs({9})));
  write("w000000/0000000010.seg.tmp-x", "half");
  EXPECT_TRUE(others.read_everything(take));
  EXPECT_TRUE(others.read_everything(take));
  EXPECT_THAT(seen, testing::ElementsAre(3, 9));
  EXPECT_EQ(others.missing(), 7u);
  EXPECT_EQ(others.left_out(), 0u);
  write("w000000/0000000004.seg", encode(with_pairs({4})));
  EXPECT_FALSE(others.read_everything(take));
}

// What a worker told in one segment: so many classes that came once, in as many runs.
Segment told(uint64_t runs_all_in_all, uint64_t first_class, uint64_t classes, uint64_t ms) {
  Segment segment = with_pairs({first_class});
  segment.progress.elapsed_ms = ms;
  segment.progress.schedules = segment.progress.classified = runs_all_in_all;
  for (uint64_t i = 0; i < classes; ++i) segment.classes.push_back({first_class + i, 1});
  return segment;
}

CampaignFolder campaign_at(const std::string& path) {
  CampaignDescription description;
  description.program = description.path = "x";
  Result<CampaignFolder> folder = CampaignFolder::join(path, description, false);
  EXPECT_TRUE(folder.ok());
  return std::move(*folder);
}

// The runs of the segment behind a missing one are those of both: with the classes of one alone,
// new ones would seem rarer than they are.
TEST_F(CampaignFolders, RunsWhoseClassesAreMissingAreNotCounted) {
  const CampaignFolder folder = campaign_at(path_);
  WorkerFolder own = *WorkerFolder::claim(folder.build("b"), std::nullopt);
  for (uint64_t i = 1; i <= 4; ++i) {
    ASSERT_FALSE(own.write(told(100 * i, 1000 * i, 100, 1000 * i)));
  }
  CampaignView whole(folder, "b");
  whole.refresh();
  EXPECT_EQ(whole.thoroughness().runs, 400u);
  EXPECT_EQ(whole.thoroughness().singletons, 400u);
  fs::rename(own.path() + "/0000000002.seg", path_ + "/away");
  CampaignView view(folder, "b");
  view.refresh();
  EXPECT_EQ(view.segments_missing(), 1u);
  EXPECT_EQ(view.pairs(), 3u);
  EXPECT_EQ(view.total().schedules, 400u);
  EXPECT_EQ(view.thoroughness().runs, 200u);
  EXPECT_EQ(view.thoroughness().singletons, 200u);
  ASSERT_EQ(view.sum().covered.size(), 1u);
  EXPECT_EQ(view.sum().covered[0].sequence, 1u);  // who has its sum still wants the second
  fs::rename(path_ + "/away", own.path() + "/0000000002.seg");
  view.refresh();
  EXPECT_EQ(view.segments_missing(), 0u);
  EXPECT_EQ(view.pairs(), 4u);
  EXPECT_EQ(view.thoroughness().runs, 400u);
}

// Clocks of writers are theirs: how long ago news came is told by the age of the heartbeat.
TEST_F(CampaignFolders, NewsAreAsOldAsTheWorkerSays) {
  const CampaignFolder folder = campaign_at(path_);
  WorkerFolder own = *WorkerFolder::claim(folder.build("b"), std::nullopt);
  Heartbeat heartbeat;
  heartbeat.state = "running";
  ASSERT_FALSE(own.beat(heartbeat));
  CampaignView view(folder, "b");
  view.refresh();
  EXPECT_FALSE(view.since_last_news());
  ASSERT_FALSE(own.write(told(10, 1, 1, 7000)));  // the heartbeat is that of its beginning
  const fs::path file = own.path() + "/heartbeat";
  fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(9));
  view.refresh();
  ASSERT_TRUE(view.since_last_news());
  EXPECT_LE(view.workers()[0].since_news, std::chrono::seconds(4));
  EXPECT_LE(*view.since_last_news(), std::chrono::seconds(4));
  EXPECT_GT(view.rate(), 0);
  fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(31));
  view.refresh();
  EXPECT_GE(*view.since_last_news(), std::chrono::seconds(33));
  EXPECT_EQ(view.rate(), 0);  // it may be dead
}

TEST_F(CampaignFolders, WorkersAreListedInTheOrderOfTheirNumbers) {
  const CampaignFolder folder = campaign_at(path_);
  for (const char* name : {"w000003.10", "w000003", "w000003.2", "w000012"}) {
    fs::create_directories(folder.build("b") + "/" + name);
  }
  CampaignView view(folder, "b");
  view.refresh();
  std::vector<std::string> names;
  for (const WorkerView& worker : view.workers()) names.push_back(worker.info.name);
  EXPECT_THAT(names, testing::ElementsAre("w000003", "w000003.2", "w000003.10", "w000012"));
}

TEST_F(CampaignFolders, TheNewestSumThatCanBeReadCounts) {
  EXPECT_FALSE(newest_distilled(path_ + "/d"));
  ASSERT_TRUE(write_distilled(path_ + "/d", with_pairs({1})).ok());
  ASSERT_TRUE(write_distilled(path_ + "/d", with_pairs({2})).ok());
  EXPECT_EQ(newest_distilled(path_ + "/d")->pairs.front(), 2u);
  write("d/0000000002.seg", "cut off");
  EXPECT_EQ(newest_distilled(path_ + "/d")->pairs.front(), 1u);
}

SharedHub fresh_hub() {
  Result<SharedHub> hub = create_hub();
  EXPECT_TRUE(hub.ok());
  return std::move(*hub);
}

AbstractSchedule schedule_with(uint64_t read) {
  AbstractSchedule schedule;
  schedule.count = 1;
  schedule.constraints[0] = {1, 2, read, false};
  return schedule;
}

void find(Hub& hub, const AbstractSchedule& schedule, uint64_t pair) {
  CorpusEntry* entry = hub.new_entry();
  entry->schedule = schedule;
  entry->ready.store(1);
  hub.reads_from_pairs.insert(pair);
}

TEST(HubExchange, TellsWhatIsNewOnceAndNotWhatItHeard) {
  const SharedHub one = fresh_hub(), two = fresh_hub();
  HubExchange first(*one), second(*two);
  find(*one, schedule_with(5), 77);
  one->reads_from_sets.count(1234);
  one->reads_from_sets.count(1234);
  one->races.insert(9);
  Segment told;
  ASSERT_TRUE(first.collect(told));
  EXPECT_EQ(told.schedules.size(), 1u);
  EXPECT_THAT(told.pairs, testing::ElementsAre(77));
  EXPECT_THAT(told.classes, testing::ElementsAre(ClassTally{1234, 2}));
  EXPECT_THAT(told.races, testing::ElementsAre(9));

  const HubExchange::News news = second.take(told);
  EXPECT_EQ(news.pairs, 1u);
  EXPECT_EQ(news.schedules, 1u);
  EXPECT_TRUE(two->reads_from_pairs.contains(77));
  EXPECT_EQ(two->corpus_size(), 1u);
  EXPECT_EQ(two->corpus[0].worker, kFromDisk);
  EXPECT_FALSE(second.take(told).any());
  EXPECT_EQ(two->reads_from_sets.different(), 0u);  // a run counts where it was made

  one->reads_from_sets.count(1234);
  Segment again, other;
  ASSERT_TRUE(first.collect(again));
  EXPECT_TRUE(again.pairs.empty() && again.schedules.empty());
  EXPECT_THAT(again.classes, testing::ElementsAre(ClassTally{1234, 1}));
  ASSERT_TRUE(second.collect(other));
  EXPECT_TRUE(other.pairs.empty() && other.schedules.empty() && other.classes.empty());
}

TEST(HubExchange, SchedulesWhosePairsAreKnownAreNotTaken) {
  const SharedHub one = fresh_hub(), two = fresh_hub();
  HubExchange first(*one), second(*two);
  find(*one, schedule_with(5), 77);
  find(*two, schedule_with(6), 77);
  Segment told;
  first.collect(told);
  EXPECT_EQ(second.take(told).schedules, 0u);
}

TEST(HubExchange, AFullSegmentIsFollowedByAnother) {
  const SharedHub hub = fresh_hub();
  HubExchange exchange(*hub);
  constexpr uint64_t kPairs = 20'000;
  for (uint64_t i = 1; i <= kPairs; ++i) hub->reads_from_pairs.insert(i * 0x9E3779B97F4A7C15);
  EXPECT_GT(exchange.waiting_bytes(), kSegmentBytes);
  size_t segments = 0, pairs = 0;
  for (bool all = false; !all; ++segments) {
    Segment segment;
    all = exchange.collect(segment);
    EXPECT_LE(encode(segment).size(), kSegmentBytes + 1000);
    pairs += segment.pairs.size();
  }
  EXPECT_EQ(pairs, kPairs);
  EXPECT_GE(segments, 4u);
  EXPECT_EQ(exchange.waiting_bytes(), 0u);
}

TEST(HubExchange, OfVeryManyClassesAHashPicksSome) {
  const SharedHub hub = fresh_hub();
  HubExchange exchange(*hub);
  constexpr uint64_t kClasses = 100'000;
  for (uint64_t i = 1; i <= kClasses; ++i) hub->reads_from_sets.count(i * 0x9E3779B97F4A7C15);
  size_t told = 0;
  uint32_t bits = 0;
  for (bool all = false; !all;) {
    Segment segment;
    all = exchange.collect(segment);
    told += segment.classes.size();
    bits = segment.class_bits;
  }
  EXPECT_EQ(bits, 5u);
  EXPECT_NEAR(static_cast<double>(told << bits), kClasses, 0.1 * kClasses);
}

TEST(HubExchange, LocksThatTwoWorkersSawMakeOneOrder) {
  const SharedHub one = fresh_hub(), two = fresh_hub();
  HubExchange first(*one), second(*two);
  LockEdge& edge = one->lock_edges[one->lock_edges_claimed++];
  edge.held.name = 1;
  edge.wanted.name = 2;
  edge.gate_count = 1;
  edge.gates[0] = 3;
  edge.ready = 1;
  LockEdge& of_one_run = one->lock_edges[one->lock_edges_claimed++];
  of_one_run.held.name = 4;
  of_one_run.wanted.name = 5;
  of_one_run.wanted.is_numbered = 1;
  of_one_run.ready = 1;
  Segment told;
  first.collect(told);
  ASSERT_EQ(told.lock_edges.size(), 1u);
  EXPECT_EQ(second.take(told).lock_edges, 1u);
  EXPECT_EQ(two->lock_edges[0].wanted.name, 2u);
  EXPECT_EQ(two->lock_edges[0].gates[0], 3u);
  Segment nothing;
  second.collect(nothing);
  EXPECT_TRUE(nothing.lock_edges.empty());
}

// Waited for or not.
TEST(ProcessMarks, ShowThatAProcessIsGone) {
  const std::string own = own_process_mark();
  ASSERT_NE(own, "");
  EXPECT_FALSE(has_ended_here(own));
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string mark = own_process_mark() + "\n";
    if (write(ends[1], mark.data(), mark.size()) < 0) _exit(1);
    pause();
  }
  close(ends[1]);
  std::string mark;
  for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) mark += c;
  close(ends[0]);
  EXPECT_FALSE(has_ended_here(mark));
  EXPECT_TRUE(has_ended_here(mark + "0"));  // the id belongs to another one now
  kill(child, SIGKILL);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(has_ended_here(mark));
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(has_ended_here(mark));
  // Of another machine, or no mark at all.
  for (const std::string& other : {"x" + mark, std::string(), own.substr(0, own.find(' ') + 1)}) {
    EXPECT_FALSE(has_ended_here(other)) << other;
  }
}

TEST(Findings, AreKnownByTheirNames) {
  EXPECT_EQ(identity_in_name("deadlock-0123456789abcdef"), 0x0123456789abcdefu);
  for (const char* name : {"deadlock-012345", "x", "-", "a-0123456789abcdeg", ".draft.tmp-1-2"}) {
    EXPECT_EQ(identity_in_name(name), std::nullopt) << name;
  }
}

using Variables = std::map<std::string, std::string>;

Result<std::optional<WorkerPlace>> worker_of(const Variables& variables) {
  return worker_from([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string place(const Variables& variables) {
  const Result<std::optional<WorkerPlace>> place = worker_of(variables);
  if (!place) return place.error().message;
  if (!*place) return "nobody";
  return std::to_string((*place)->index) + "/" + std::to_string((*place)->count);
}

TEST(WorkerPlaces, AreToldBySchedulers) {
  EXPECT_EQ(place({}), "nobody");
  EXPECT_EQ(place({{"JOSTLE_WORKER", "3/16"}, {"PARALLEL_SEQ", "9"}}), "3/16");
  EXPECT_EQ(place({{"SLURM_ARRAY_TASK_ID", "12"},
                   {"SLURM_ARRAY_TASK_COUNT", "10"},
                   {"SLURM_ARRAY_TASK_MIN", "10"},
                   {"SLURM_PROCID", "0"}}),
            "2/10");
  EXPECT_EQ(place({{"SLURM_ARRAY_TASK_ID", "6"},
                   {"SLURM_ARRAY_TASK_COUNT", "4"},
                   {"SLURM_ARRAY_TASK_MIN", "0"},
                   {"SLURM_ARRAY_TASK_STEP", "2"}}),
            "3/4");
  EXPECT_EQ(place({{"JOB_COMPLETION_INDEX", "4"}, {"JOSTLE_WORKERS", "8"}}), "4/8");
  EXPECT_EQ(place({{"JOB_COMPLETION_INDEX", "4"}}), "4/0");
  EXPECT_EQ(place({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), "1/2");
  EXPECT_EQ(place({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}}), "3/4");
  EXPECT_EQ(place({{"PARALLEL_SEQ", "1"}, {"JOSTLE_WORKERS", "8"}}), "0/8");
  EXPECT_EQ((*worker_of({{"PARALLEL_SEQ", "8"}, {"JOSTLE_WORKERS", "8"}}))->beyond, "");
  EXPECT_EQ(place({{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "5"}}), "0/5");
  EXPECT_THAT(place({{"CI_NODE_INDEX", "0"}, {"CI_NODE_TOTAL", "5"}}), HasSubstr("is no worker"));
  EXPECT_THAT(place({{"SLURM_ARRAY_TASK_ID", "many"}}), HasSubstr("SLURM_ARRAY_TASK_ID=many"));
  EXPECT_THAT(place({{"JOSTLE_WORKER", "8/8"}}), HasSubstr("JOSTLE_WORKER=8/8"));
}

// As sbatch 22.05 sets them for `--array=0,3,6`, `sbatch -n 4`, and what is started in there.
TEST(WorkerPlaces, OfAJobThatStartsProcessesAreDifferent) {
  const Variables uneven = {{"SLURM_ARRAY_TASK_ID", "6"},
                            {"SLURM_ARRAY_TASK_COUNT", "3"},
                            {"SLURM_ARRAY_TASK_MIN", "0"},
                            {"SLURM_ARRAY_TASK_MAX", "6"},
                            {"SLURM_ARRAY_TASK_STEP", "1"}};
  EXPECT_EQ(place(uneven), "6/0");
  const Variables script = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};
  const auto with = [](Variables all, const Variables& more) {
    all.insert(more.begin(), more.end());
    return place(all);
  };
  EXPECT_EQ(place(script), "nobody");
  EXPECT_EQ(with(script, {{"PARALLEL_SEQ", "3"}, {"JOSTLE_WORKERS", "4"}}), "2/4");
  EXPECT_EQ(with(script, {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "1/4");
  const Variables step = {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}};
  EXPECT_EQ(with(step, {{"PARALLEL_SEQ", "3"}, {"JOSTLE_WORKERS", "4"}}), "2/4");
  EXPECT_EQ(with(step, {{"PARALLEL_SEQ", "3"}}), "2/0");
  const Variables array = {{"SLURM_ARRAY_TASK_ID", "2"},
                           {"SLURM_ARRAY_TASK_COUNT", "3"},
                           {"SLURM_ARRAY_TASK_MIN", "1"},
                           {"SLURM_ARRAY_TASK_MAX", "3"},
                           {"SLURM_PROCID", "0"}};
  EXPECT_EQ(place(array), "1/3");
  EXPECT_EQ(with(array, {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "7/12");
  EXPECT_EQ(with(array, {{"SLURM_STEP_NUM_TASKS", "4"}}), "4/12");
  EXPECT_EQ(with(array, {{"PARALLEL_SEQ", "2"}, {"JOSTLE_WORKERS", "8"}}), "9/24");
  EXPECT_EQ(with(array, {{"PARALLEL_SEQ", "2"}}), "1/3");
  // JOSTLE_WORKERS counts Kubernetes' pods, not what each of them starts.
  EXPECT_EQ(place({{"JOB_COMPLETION_INDEX", "4"}, {"JOSTLE_WORKERS", "8"}, {"PARALLEL_SEQ", "2"}}),
            "4/8");
  EXPECT_THAT(place({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
              HasSubstr("OMPI_COMM_WORLD_RANK=2 of OMPI_COMM_WORLD_SIZE=2 is no worker"));
  EXPECT_THAT(place({{"CI_NODE_INDEX", "3"}, {"CI_NODE_TOTAL", "2"}}), HasSubstr("is no worker"));
}

// Nobody's share is done twice.
TEST(WorkerPlaces, OfMoreThanThereShouldBeHaveNoShare) {
  const Variables ninth = {{"PARALLEL_SEQ", "9"}, {"JOSTLE_WORKERS", "8"}};
  EXPECT_EQ(place(ninth), "8/0");
  EXPECT_EQ((*worker_of(ninth))->beyond, "PARALLEL_SEQ=9 of JOSTLE_WORKERS=8");
  EXPECT_EQ(place({{"JOB_COMPLETION_INDEX", "8"}, {"JOSTLE_WORKERS", "8"}}), "8/0");
  Variables in_an_array = ninth;
  in_an_array.insert({{"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_COUNT", "3"}});
  EXPECT_EQ(place(in_an_array), "8/0");
}

TEST(WorkerPlaces, AreParsed) {
  EXPECT_EQ(parse_worker("3/16"), (WorkerPlace{3, 16, "--worker"}));
  EXPECT_EQ(parse_worker("3"), (WorkerPlace{3, 0, "--worker"}));
  for (const char* wrong : {"", "/", "3/", "16/16", "-1/4", "a/b", "1/0", "1/99999999"}) {
    EXPECT_EQ(parse_worker(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace jostle::cli
