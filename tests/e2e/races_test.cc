// SPDX-License-Identifier: Apache-2.0
// The race detector against many small programs: no race is missed, none is made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "src/cli/support/pattern.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct Scenario {
  std::string file, name;
  bool racy;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// As their sources list them: SCENARIO(name, racy) or SCENARIO(name, clean), or SHARED(name, …):
// both.
std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const char* file : {"race_locks", "race_atomics", "race_memory", "race_branches",
                           "race_descriptors", "race_openmp", "shared_text", "shared_containers"}) {
    const fs::path folder = fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/races";
    const std::string text = text_of(folder / (std::string(file) + ".cc"));
    const cli::Pattern shape("^SCENARIO\\((\\w+), (racy|clean)\\)"), both("^SHARED\\((\\w+), ");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (const auto match = shape.find(line))
        all.push_back({file, (*match)[1], (*match)[2] == "racy"});
      if (const auto match = both.find(line)) {
        all.push_back({file, (*match)[1], true});
        all.push_back({file, (*match)[1] + "_locked", false});
      }
    }
  }
  return all;
}

class Race : public testing::TestWithParam<Scenario> {};

TEST_P(Race, IsSeenWhereThereIsOne) {
  TempDir out;
  const Result result =
      jostle({"fuzz", "--seed", "1", "--schedules", "400", "--check", "race", "-o", out.file("out"),
              "--", program("gcc", "races/" + GetParam().file), GetParam().name},
             {.time_limit = 200});
  EXPECT_EQ(result.exit_code, 0) << result;
  if (GetParam().racy) {
    EXPECT_THAT(result.out, HasSubstr("not counted as failures")) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("did not show again"))) << result;
  } else {
    EXPECT_THAT(result.out, Not(HasSubstr("data race"))) << result;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Race, testing::ValuesIn(scenarios()),
                         [](const auto& info) { return info.param.file + "_" + info.param.name; });

Result fuzz(const TempDir& out, std::vector<std::string> options, const std::string& scenario,
            const std::string& file = "races/race_locks") {
  std::vector<std::string> words = {"fuzz", "--seed",       "1", "--schedules", "300",
                                    "-o",   out.file("out")};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", program("gcc", file), scenario});
  return jostle(words);
}

TEST(RaceOfEarlyThreads, HasTheirNamesAndTheirLocks) {
  TempDir out;
  const Result clean = fuzz(out, {"-n", "40"}, "clean", "races/early_threads");
  EXPECT_EQ(clean.exit_code, 0) << clean;
  EXPECT_THAT(clean.out, Not(HasSubstr("data race"))) << clean;
  const Result racy = fuzz(out, {"-n", "40"}, "racy", "races/early_threads");
  EXPECT_THAT(racy.out, ContainsRegex("Pool.words of early_threads.cc:[0-9]+: T[12] lambda in "
                                      "Pool::Pool (wrote|read)"))
      << racy;
  // Who follows the schedule loosely knows these threads, too.
  const Result small = fuzz(out, {"-n", "40", "--fail-on", "race"}, "racy", "races/early_threads");
  EXPECT_THAT(small.out, HasSubstr("minimised to 1 preemption")) << small;
}

// What functions of libc read and write is known.
TEST(RacesOfLibraryCalls, AreSeenInEachOfThem) {
  std::istringstream source(
      text_of(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/races/library_calls.cc"));
  const cli::Pattern shape("^  CALL\\((\\w+), ");
  std::vector<std::string> calls;
  for (std::string line; std::getline(source, line);) {
    if (const auto match = shape.find(line)) calls.push_back((*match)[1]);
  }
  ASSERT_GT(calls.size(), 80u);
  TempDir out;
  const std::string path = program("gcc", "races/library_calls");
  const Result racy =
      jostle({"fuzz", "-n", "5", "--strategy", "random", "-o", out.file("out"), "--", path});
  const std::string races = text_of(out.file("out") + "/library_calls/races.txt");
  for (const std::string& call : calls) {
    EXPECT_THAT(races, ContainsRegex("of_" + call + "\\b")) << racy;
  }
  const Result clean = jostle({"fuzz", "-n", "20", "-o", out.file("clean"), "--", path, "locked"});
  EXPECT_EQ(clean.exit_code, 0) << clean;
  EXPECT_THAT(clean.out, Not(HasSubstr("data race"))) << clean;
}

// Of what a stream has in common with others, debug information does not say where it lies.
TEST(RaceOfStreams, HasTheStreamsName) {
  TempDir out;
  const Result found = fuzz(out, {"-n", "40"}, "read_while_written", "races/shared_text");
  EXPECT_THAT(found.out, ContainsRegex("\n  both_ways: T[12] ")) << found;
}

TEST(RaceReport, IsAFailureWhenAskedFor) {
  TempDir out;
  const Result found = fuzz(out, {"--fail-on", "race"}, "mutex_one_side");
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, ContainsRegex("RACE after [0-9]+ schedules? .*: data race on data"))
      << found;
  EXPECT_THAT(found.out, ContainsRegex("holds mutex mutex \\(")) << found;
  const std::string replay = recording_in(out.file("out"));
  EXPECT_THAT(replay, HasSubstr("/race-"));
  const Result again = jostle({"replay", replay});
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("data race on data")) << again;
}

TEST(RaceReport, IsListedOnceAndWrittenWithBothStacks) {
  TempDir out;
  const Result found = fuzz(out, {"-j", "2", "--json"}, "no_lock");
  EXPECT_EQ(found.exit_code, 0) << found;
  const std::string races = text_of(out.file("out") + "/race_locks/races.txt");
  EXPECT_THAT(races, ContainsRegex("data race on data: .*race_locks.cc:[0-9]+")) << found;
  EXPECT_THAT(races, ContainsRegex("T[12] .*(writes|reads) 8 bytes\n +#0 .*race_locks.cc"))
      << races;
  EXPECT_THAT(races, ContainsRegex("before that (wrote|read) 8 bytes")) << races;
  EXPECT_THAT(found.out, ContainsRegex("\"data_races\": [1-4],")) << found;
  EXPECT_THAT(found.out, HasSubstr("\"access\": \"write of 8 bytes\"")) << found;
}

TEST(RaceReport, NamesHeapMemoryByItsAllocation) {
  TempDir out;
  fuzz(out, {}, "free_while_read", "races/race_memory");
  const std::string races = text_of(out.file("out") + "/race_memory/races.txt");
  EXPECT_THAT(races, ContainsRegex("on (freed )?heap block\\+8 of race_memory.cc:[0-9]+, 24 bytes, "
                                   "allocated by main"))
      << races;
  EXPECT_THAT(races, ContainsRegex("(frees|freed)")) << races;
}

// What is listed of a scenario of race_lists.cc: the lines on the terminal, and races.txt.
struct Listed {
  std::string brief, file;
  Result result;
};
Listed listed(const std::string& scenario, std::vector<std::string> options = {}) {
  TempDir out;
  Listed all;
  all.result = fuzz(out, options, scenario, "races/race_lists");
  const size_t begin = all.result.out.find("data race");
  all.brief = begin == std::string::npos ? "" : all.result.out.substr(begin);
  all.file = text_of(out.file("out") + "/race_lists/races.txt");
  return all;
}
size_t entries(const Listed& all) {
  size_t count = 0;
  for (size_t at = 0; (at = all.file.find("data race on ", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(RaceEntries, MembersOfACopiedStructAreOneRace) {
  const Listed all = listed("struct_copy");
  EXPECT_EQ(entries(all), 1u) << all.file;
  EXPECT_THAT(all.result.out, HasSubstr("1 data race seen")) << all.result;
}

TEST(RaceEntries, ReadsAndWritesOfTheSameLinesAreOneRace) {
  const Listed all = listed("one_line");
  EXPECT_EQ(entries(all), 1u) << all.file;
}

TEST(RaceEntries, AreGroupedByObject) {
  const Listed all = listed("two_members");
  EXPECT_EQ(entries(all), 2u) << all.file;
  EXPECT_THAT(all.brief, ContainsRegex("  pair\n    \\.(first|second): .*\n"
                                       "    \\.(first|second): .*\n  stacks: "))
      << all.result;
}

// The places are inside of the library; the line is the caller's.
TEST(RaceEntries, OfALibraryAreAtTheCallersLine) {
  const Listed all = listed("library");
  EXPECT_EQ(entries(all), 1u) << all.file;
  EXPECT_THAT(all.file, ContainsRegex("\\(race_lists.cc:[0-9]+\\), .*\\(race_lists.cc:[0-9]+\\)"))
      << all.file;
  EXPECT_THAT(all.file, HasSubstr("of libraries\n")) << all.file;
  EXPECT_THAT(all.file, ContainsRegex("#[0-9]+ +insert\\(int\\) +.*race_lists.cc:[0-9]+\n"))
      << all.file;
  EXPECT_THAT(all.file, Not(HasSubstr("std::thread"))) << all.file;
}

TEST(RaceEntries, OneDeleteIsOneRace) {
  const Listed all = listed("one_delete", {"--keep-going"});
  EXPECT_EQ(entries(all), 1u) << all.file;
  EXPECT_THAT(all.brief, ContainsRegex("(frees|freed) \\(race_lists.cc:[0-9]+\\)")) << all.result;
  EXPECT_THAT(all.brief, ContainsRegex("\n    also T1 .*\n    also T1 .*\n    and 2 more\n"))
      << all.result;
}

TEST(RaceEntries, TheStatisticsHaveThemAsTheyAreListed) {
  const Listed all = listed("one_delete", {"--json"});
  EXPECT_THAT(all.result.out, HasSubstr("\"data_races\": 1,")) << all.result;
  EXPECT_THAT(all.result.out, HasSubstr("\"accesses\": [")) << all.result;
}

// After the search somebody waits for the prompt.
TEST(RaceEntries, AreListedSoon) {
  TempDir out;
  const auto begin = std::chrono::steady_clock::now();
  const Result result = jostle({"fuzz", "--seed", "1", "--schedules", "2000", "-o", out.file("out"),
                                "--", program("gcc", "races/race_lists"), "many"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(result.exit_code, 0) << result;
  const auto search = cli::Pattern("(no failure|explored) in ([0-9.]+) s").find(result.out);
  ASSERT_TRUE(search) << result;
  // Twice what is wanted: machines are busy.
  EXPECT_LT(took.count() - std::stod((*search)[2]), 4.0) << result;
  const std::string races = text_of(out.file("out") + "/race_lists/races.txt");
  EXPECT_THAT(races, HasSubstr("data race on many[")) << result;
  // All of them, or it says what it has left out.
  const auto count = cli::Pattern("([0-9]+) data races? seen").find(result.out);
  ASSERT_TRUE(count) << result;
  if (std::stoi((*count)[1]) < 24) {
    EXPECT_THAT(result.err + result.out,
                ContainsRegex("no time left to confirm [0-9]+ data races?: jostle fuzz"))
        << result;
  }
}

TEST(RaceVolatile, IsPlainUnlessAskedFor) {
  for (const char* scenario : {"volatile_flag", "volatile_with_fences", "volatile_and_plain",
                               "volatile_publishes_plain"}) {
    EXPECT_NE(entries(listed(scenario)), 0u) << scenario;
    EXPECT_NE(entries(listed(scenario, {"--volatile=plain"})), 0u) << scenario;
  }
}

TEST(RaceVolatile, IsRelaxedAtomicWhenAskedFor) {
  const std::vector<std::string> asked = {"--volatile=atomic"};
  for (const char* scenario : {"volatile_flag", "volatile_with_fences"}) {
    const Listed all = listed(scenario, asked);
    EXPECT_EQ(all.result.exit_code, 0) << all.result;
    EXPECT_EQ(entries(all), 0u) << all.file;
  }
  for (const char* scenario : {"volatile_and_plain", "volatile_publishes_plain"}) {
    const Listed all = listed(scenario, asked);
    EXPECT_EQ(entries(all), 1u) << all.file;
    EXPECT_THAT(all.file, Not(HasSubstr("atomically"))) << all.file;
  }
}

TEST(RaceVolatile, IsAsRecordedInAReplay) {
  TempDir out;
  const std::string list = program("gcc", "races/race_lists");
  for (const char* meaning : {"plain", "atomic"}) {
    const std::string file = out.file(meaning);
    const Result run = jostle({"run", "--seed", "1", std::string("--volatile=") + meaning, "--save",
                               file, "--", list, "volatile_flag"});
    EXPECT_EQ(run.exit_code, 0) << run;
    const bool races = run.err.find("data race") != std::string::npos;
    EXPECT_EQ(races, meaning == std::string("plain")) << run;
    const Result again = jostle({"replay", file});
    EXPECT_EQ(again.err.find("data race") != std::string::npos, races) << again;
    const Result other = jostle({"replay", races ? "--volatile=atomic" : "--volatile=plain", file});
    EXPECT_EQ(other.err.find("data race") != std::string::npos, !races) << other;
  }
}

TEST(RaceVolatile, KnowsItsWords) {
  const Listed all = listed("volatile_flag", {"--volatile=atomc"});
  EXPECT_EQ(all.result.exit_code, 2) << all.result;
  EXPECT_THAT(all.result.err, HasSubstr("`atomc' is neither plain nor atomic")) << all.result;
}

// libgomp is not instrumented: what it orders is known by its interface.
TEST(RaceOpenMp, WhatOpenMpOrdersDoesNotRace) {
  for (const char* executor : {"snapshot", "fork"}) {
    TempDir out;
    const Result result =
        jostle({"fuzz", "--seed", "1", "-n", "300", "-t", "60s", "--fail-on", "race", "--executor",
                executor, "-o", out.file("out"), "--", program("gcc", "races/openmp_orders")},
               {.time_limit = 200});
    EXPECT_EQ(result.exit_code, 0) << executor << result;
    EXPECT_THAT(result.out, Not(HasSubstr("data race"))) << executor << result;
  }
}

// Where nobody sees it, for milliseconds at each barrier. The program does not see how.
TEST(RaceOpenMp, ThreadsOfItsLibraryDoNotSpin) {
  const std::string openmp = program("gcc", "races/race_openmp");
  const auto spin_count = [&](std::optional<std::string> wanted) {
    return jostle({"run", openmp, "barrier"},
                  {.env = {{"OMP_DISPLAY_ENV", "verbose"}, {"GOMP_SPINCOUNT", wanted}}})
        .err;
  };
  EXPECT_THAT(spin_count(std::nullopt), HasSubstr("GOMP_SPINCOUNT = '0'"));
  EXPECT_THAT(spin_count("7"), HasSubstr("GOMP_SPINCOUNT = '7'"));
  const Result seen = jostle({"run", "/usr/bin/env"});
  EXPECT_TRUE(seen.ok()) << seen;
  EXPECT_THAT(seen.out, Not(HasSubstr("GOMP_SPINCOUNT")));
}

// A lock of atomics in a library that is not instrumented: nobody sees it unless somebody waits.
TEST(RaceUnseenLocks, WhatTheyGuardDoesNotRaceAndTheRestDoes) {
  const TempDir folder;
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  };
  const std::string library = folder.file("libguard.so");
  const std::string source = write("guard.c", R"(
    #include <linux/futex.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    void guard(int* lock) {
      while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, lock, FUTEX_WAIT, 1, 0, 0, 0);
    }
    void leave(int* lock) {
      __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
      syscall(SYS_futex, lock, FUTEX_WAKE, 1, 0, 0, 0);
    })");
  ASSERT_TRUE(run({"gcc", "-O1", "-shared", "-fPIC", source, "-o", library}).ok());
  const std::string program_source = write("uses.c", R"(
    #include <pthread.h>
    void guard(int*);
    void leave(int*);
    int lock, guarded, other;
    void* work(void* p) {
      guard(&lock);
      ++guarded;
      leave(&lock);
      ++other;
      return p;
    }
    int main(void) {
      pthread_t t;
      pthread_create(&t, 0, work, 0);
      work(0);
      pthread_join(t, 0);
      return guarded != 2;
    })");
  const std::string uses = folder.file("uses");
  const Result built = jostle({"cc", "-g", "-O1", program_source, library, "-o", uses});
  ASSERT_TRUE(built.ok()) << built;
  const Result result =
      jostle({"fuzz", "--seed", "1", "-n", "400", "-o", folder.file("out"), uses});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("1 data race seen")) << result;
  EXPECT_THAT(result.out, HasSubstr("other: ")) << result;
}

// What TBB orders is not known. A program is not called wrong for it, and memory is not weak by
// default: task_group::wait would read old counts.
TEST(RaceTasks, OfALibraryWithThreadsOfItsOwnDoNotFail) {
  TempDir out;
  const Result result = jostle({"fuzz", "--seed", "3", "-n", "400", "-t", "60s", "-o",
                                out.file("out"), "--", program("gcc", "races/tbb_tasks")},
                               {.time_limit = 200});
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST(RaceCheck, CanBeSwitchedOff) {
  for (const char* list : {"none", "-race"}) {
    TempDir out;
    const Result found = fuzz(out, {"--check", list}, "no_lock");
    EXPECT_EQ(found.exit_code, 0) << found;
    EXPECT_THAT(found.out, Not(HasSubstr("data race"))) << found;
  }
}

TEST(RaceCheck, KnowsItsNames) {
  TempDir out;
  const Result wrong = fuzz(out, {"--check", "rac"}, "no_lock");
  EXPECT_EQ(wrong.exit_code, 2) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("--check rac: no check `rac': did you mean race?")) << wrong;
}

TEST(RaceSuppression, HidesWhatItMatches) {
  const char* const lines[] = {"race:scenario_no_lock", "race:^data$", "race:race_l*.cc",
                               "# a comment\n\nrace:scenario_*_lock\nmutex:other"};
  for (const char* line : lines) {
    TempDir out;
    std::ofstream(out.file("suppressions")) << line << "\n";
    for (const std::vector<std::string>& fail :
         {std::vector<std::string>{}, {"--fail-on", "race"}}) {
      std::vector<std::string> options = {"--suppressions", out.file("suppressions")};
      options.insert(options.end(), fail.begin(), fail.end());
      const Result found = fuzz(out, options, "no_lock");
      EXPECT_EQ(found.exit_code, 0) << line << found;
      EXPECT_THAT(found.out, Not(HasSubstr("data race"))) << line << found;
    }
  }
}

TEST(RaceSuppression, LeavesTheRest) {
  TempDir out;
  std::ofstream(out.file("suppressions")) << "race:somewhere_else\n";
  const Result found =
      fuzz(out, {"--fail-on", "race", "--suppressions", out.file("suppressions")}, "no_lock");
  EXPECT_EQ(found.exit_code, 77) << found;
}

TEST(RaceSuppression, IsReadWithCare) {
  TempDir out;
  std::ofstream(out.file("suppressions")) << "rase:main\n";
  const Result found = fuzz(out, {"--suppressions", out.file("suppressions")}, "no_lock");
  EXPECT_EQ(found.exit_code, 2) << found;
  EXPECT_THAT(found.err, HasSubstr(":1: no kind of suppression `rase': did you mean race?"))
      << found;
}

TEST(RaceRun, ShowsTheRacesOfTheRun) {
  const Result run =
      jostle({"run", "--seed", "1", "--", program("gcc", "races/race_locks"), "no_lock"});
  EXPECT_EQ(run.exit_code, 0) << run;
  EXPECT_THAT(run.err, HasSubstr("data race on data")) << run;
  const Result failed = jostle({"run", "--seed", "1", "--fail-on", "race", "--",
                                program("gcc", "races/race_locks"), "no_lock"});
  EXPECT_EQ(failed.exit_code, 77) << failed;
}

}  // namespace
}  // namespace jostle::test
