// SPDX-License-Identifier: Apache-2.0
// Who spins, who hangs, who only takes long, and who counts on time. Programs: programs/spinning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Result fuzz(const std::string& name, const std::string& which,
            const std::vector<std::string>& options) {
  TempDir out;
  std::vector<std::string> words = {"fuzz", "--seed", "5", "-o", out.file("out")};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", program("gcc", "spinning/" + name), which});
  return jostle(words, {.time_limit = 120});
}

class SpinLock : public testing::TestWithParam<const char*> {};

TEST_P(SpinLock, IsSilentUnderEveryStrategy) {
  for (const char* strategy :
       {"portfolio", "rff", "surw", "pos", "pct", "random", "ql", "round-robin", "urw"}) {
    const Result result =
        fuzz("spin_locks", GetParam(), {"--strategy", strategy, "-n", "400", "-t", "20s"});
    EXPECT_EQ(result.exit_code, 0) << strategy << "\n" << result;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpinLock,
                         testing::Values("peterson", "filter", "bakery", "szymanski", "mcs",
                                         "ticket", "back_off", "holder_reads", "reader_writer",
                                         "sense_barrier", "gives_up"));

// Where no hook is, the others go on first, and whoever waits looks again after them.
TEST(SpinLock, InAssemblyEndsWhenOthersUnlock) {
  const TempDir out;
  const std::string lock = program("gcc", "spinning/assembly_lock");
  const Result run = jostle({"run", "--seed", "1", lock}, {.time_limit = 60});
  EXPECT_EQ(run.exit_code, 0) << run;
  const Result found =
      jostle({"fuzz", "--seed", "1", "-n", "40", "-o", out.file("out"), "--", lock});
  EXPECT_EQ(found.exit_code, 0) << found;
  // That the lock orders the accesses is not seen: none of them is called a race.
  EXPECT_THAT(found.out, Not(HasSubstr("data race"))) << found;
  EXPECT_THAT(found.out + found.err, Not(HasSubstr("not do the same"))) << found;
  const Result all = jostle({"verify", "-o", out.file("verify"), "--", lock});
  EXPECT_EQ(all.exit_code, 20) << all;
  EXPECT_THAT(all.out, HasSubstr("a loop waits for other threads")) << all;
}

class Hang : public testing::TestWithParam<const char*> {};

TEST_P(Hang, IsALivelockAtOnce) {
  const Result result = fuzz("hangs", GetParam(), {"-t", "30s"});
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("LIVELOCK after 1 schedule")) << result;
  EXPECT_THAT(result.out, HasSubstr("goes round and round")) << result;
  EXPECT_LT(result.seconds, 20) << "wall clock, on a busy machine";
  const Result run =
      jostle({"run", program("gcc", "spinning/hangs"), GetParam()}, {.time_limit = 60});
  EXPECT_EQ(run.exit_code, 77) << run;
  EXPECT_THAT(run.err, HasSubstr("LIVELOCK")) << run;
}

INSTANTIATE_TEST_SUITE_P(All, Hang,
                         testing::Values("alone", "two_flags", "polls_asleep", "polls_descriptors",
                                         "polls_under_lock", "backs_off", "waits_for_a_while",
                                         "acquires_for_a_while", "asks_a_future", "waits_until",
                                         "asks_for_a_variable", "asks_for_the_directory"));

TEST(Hangs, OfWhoAsksForStateNameIt) {
  const Result variable = fuzz("hangs", "asks_for_a_variable", {"-t", "30s"});
  EXPECT_THAT(variable.out, HasSubstr("goes on looking at the environment")) << variable;
  const Result folder = fuzz("hangs", "asks_for_the_directory", {"-t", "30s"});
  EXPECT_THAT(folder.out, HasSubstr("goes on looking at the working directory")) << folder;
}

// Of several variables it is not known which is the one that it waits for.
TEST(Hangs, SayThatThereAreOtherVariables) {
  const TempDir folder;
  const std::string path = build(folder, "two", R"(
#include <pthread.h>
#include <stdatomic.h>
static atomic_int stop, left = 1;
static void* stops(void* unused) {
  atomic_store(&stop, 1);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, stops, NULL);
  while (!atomic_load(&stop) || atomic_load(&left)) continue;
  return pthread_join(thread, NULL);
}
)");
  const Result found = jostle({"fuzz", "-t", "30s", "-o", folder.file("out"), path});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("and 1 other variable, which nobody")) << found;
  // The linker's mark `__TMC_END__` is at the same address.
  EXPECT_THAT(found.out, HasSubstr("atomic_load stop = 1")) << found;
}

// Whoever polls is not in the same state twice: it knows the time.
TEST(Polling, OfAMutexIsALivelockWithItsReasonAndReplays) {
  TempDir out;
  const Result found = jostle({"fuzz", "--seed", "5", "-t", "30s", "-o", out.file("out"), "--",
                               program("gcc", "spinning/hangs"), "tries_for_a_while"});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("LIVELOCK")) << found;
  EXPECT_THAT(found.out, HasSubstr("main goes on asking for tries_for_a_while()::second")) << found;
  const std::string replay_file = recording_in(out.file("out"));
  const Result replay = jostle({"replay", replay_file}, {.time_limit = 60});
  EXPECT_EQ(replay.exit_code, 77) << replay;
}

class PollsThatEnd : public testing::TestWithParam<const char*> {};

TEST_P(PollsThatEnd, AreNoFailure) {
  for (const char* executor : {"snapshot", "fork"}) {
    const Result result =
        fuzz("times", GetParam(), {"--executor", executor, "-n", "3", "--patient"});
    EXPECT_EQ(result.exit_code, 0) << executor << "\n" << result;
    EXPECT_THAT(result.err, Not(HasSubstr("cut off"))) << executor << "\n" << result;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PollsThatEnd,
                         testing::Values("polls_a_number_of_times", "polls_for_hours",
                                         "polls_directory"));

class LongWork : public testing::TestWithParam<const char*> {};

TEST_P(LongWork, IsNoFailure) {
  for (const char* strategy : {"portfolio", "pos"}) {
    for (const char* executor : {"snapshot", "fork"}) {
      const Result result = fuzz("long_work", GetParam(),
                                 {"--strategy", strategy, "--executor", executor, "-n", "4"});
      EXPECT_EQ(result.exit_code, 0) << strategy << " " << executor << "\n" << result;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LongWork,
                         testing::Values("halves", "increments", "reads_under_lock",
                                         "until_stopped", "passes_the_turn"));

TEST(LongRuns, AreCutOffWithoutAFailureUnlessTheLimitIsTheUsers) {
  const Result failed = fuzz("long_work", "increments", {"-n", "2", "--max-steps", "1000"});
  EXPECT_EQ(failed.exit_code, 77) << failed;
  EXPECT_THAT(failed.out, HasSubstr("STEP LIMIT"));
  const Result fine = fuzz("long_work", "increments", {"-n", "2"});
  EXPECT_EQ(fine.exit_code, 0) << fine;
  EXPECT_THAT(fine.err, HasSubstr("runs are long")) << fine;
}

// The reduced search prefers the thread that runs: in its runs one that counts until another stops
// it would count up to the limit. It gives up before that, once.
TEST(LongRuns, AreNotForTheReducedSearchWhenThereAreOthers) {
  const Result result =
      fuzz("long_work", "until_a_child_ends", {"-n", "200", "--seed", "1", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result;
  const auto stats = nlohmann::json::parse(result.out);
  EXPECT_EQ(stats["schedules"], 200) << result;
  EXPECT_LT(stats["steps"], 400'000) << result;
}

TEST(Time, FirstRunsArePatientAndLaterOnesAreNot) {
  const Result patient = fuzz("times", "sleeps_then_looks", {"-n", "16"});
  EXPECT_EQ(patient.exit_code, 0) << patient;
  const Result always = fuzz("times", "sleeps_then_looks", {"-n", "500", "--patient"});
  EXPECT_EQ(always.exit_code, 0) << always;
  for (const char* how : {"sleeps_then_looks", "sleeps_longer"}) {
    const Result found = fuzz("times", how, {"-n", "2000"});
    EXPECT_EQ(found.exit_code, 77) << found;
    EXPECT_THAT(found.out, HasSubstr("the sleep of 500 ms in main")) << found;
  }
}

TEST(Time, AGuardDoesNotStrikeWhileTheOtherSideWorks) {
  const Result wait = fuzz("times", "guarded_wait", {"-n", "50"});
  EXPECT_EQ(wait.exit_code, 0) << wait;
  const Result loop = fuzz("times", "guarded_loop", {"-n", "500"});
  EXPECT_EQ(loop.exit_code, 0) << loop;
}

TEST(Time, ALoopMayLearnLateThatItsTimeIsUp) {
  const Result found = fuzz("times", "deadline_and_reply", {"-n", "2000"});
  EXPECT_EQ(found.exit_code, 77) << found;
}

}  // namespace
}  // namespace jostle::test
