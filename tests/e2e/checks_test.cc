// SPDX-License-Identifier: Apache-2.0
// jostle::check and properties: ordinary programs that explore a part of themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// tests/programs/checks/checks.cc
class CheckTest : public testing::Test {
 protected:
  Result run_check(const std::string& what, const std::string& flavour = "gcc",
                   std::map<std::string, std::optional<std::string>> env = {}) {
    return run({program(flavour, "checks/checks"), what},
               {.env = std::move(env), .cwd = dir_.path()});
  }
  // The one replay file there is.
  std::string replay_file() const { return recording_in(dir_.path()); }
  Result replay() { return jostle({"replay", replay_file()}, {.cwd = dir_.path()}); }

  TempDir dir_;
};

TEST_F(CheckTest, APassingCheckSaysNothingAndLeavesNothing) {
  const Result ran = run_check("passes");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_EQ(ran.out, "before\nnot flushed after\n");
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_TRUE(fs::is_empty(dir_.path()));
}

TEST_F(CheckTest, AFailureIsMinimisedExplainedAndReplays) {
  const Result ran = run_check("lost_update");
  EXPECT_EQ(ran.signal, SIGABRT) << ran;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("assertion `counter == 2'"), HasSubstr("1 preemption"),
                             HasSubstr("why "), HasSubstr("replay   jostle replay")));
  EXPECT_THAT(ran.out, Not(HasSubstr("after")));
  const Result again = replay();
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("assertion `counter == 2'"));
  const json file = json::parse(read_file(replay_file()));
  EXPECT_EQ(file["program"]["check"], "lost update");
  EXPECT_FALSE(file.contains("inputs"));
}

// tests/programs/checks/verified.cc
TEST_F(CheckTest, EveryExecutionOnce) {
  const auto verify = [&](const std::string& what) {
    return run({program("gcc", "checks/verified"), what}, {.cwd = dir_.path()});
  };
  EXPECT_THAT(verify("holds").out, StartsWith("verified"));
  EXPECT_THAT(verify("few").out, StartsWith("verified"));
  const Result fails = verify("fails");
  EXPECT_THAT(fails.out, AllOf(StartsWith("failed:"), HasSubstr("one was lost"))) << fails;
  EXPECT_EQ(replay().exit_code, 77);
  const Result many = verify("many");
  EXPECT_THAT(many.out, AllOf(StartsWith("failed: INCOMPLETE"), HasSubstr("more values"))) << many;
}

TEST_F(CheckTest, DeadlocksExceptionsAndPlainFailuresAreFound) {
  EXPECT_THAT(run_check("deadlock").err, HasSubstr("DEADLOCK"));
  EXPECT_THAT(run_check("throws").err, HasSubstr("uncaught exception std::runtime_error: thrown"));
  EXPECT_THAT(run_check("fails").err, HasSubstr("as asked"));
}

TEST_F(CheckTest, TheSecondOfSeveralIsReplayedAlone) {
  const Result ran = run_check("second");
  EXPECT_THAT(ran.err, HasSubstr("assertion `counter == 2'"));
  EXPECT_EQ(json::parse(read_file(replay_file()))["program"]["check"], "one of several#2");
  EXPECT_EQ(replay().exit_code, 77);
}

TEST_F(CheckTest, AReplayThatDoesNotComeToItsCheckSaysSo) {
  run_check("lost_update");
  dir_.write("elsewhere.json", replaced(read_file(replay_file()), "\"lost_update\"", "\"passes\""));
  const Result ran = jostle({"replay", dir_.file("elsewhere.json")}, {.cwd = dir_.path()});
  EXPECT_EQ(ran.exit_code, 15) << ran;
  EXPECT_THAT(ran.err, HasSubstr("ended before it came to the check lost update"));
}

TEST_F(CheckTest, ResultsCanBeAskedFor) {
  const Result ran = run_check("result");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("passed 1 failed 0 broken 0 schedules 1 report 0 replay 0"),
                    HasSubstr("passed 0 failed 1 broken 0 schedules 1 report 1 replay 1"),
                    HasSubstr("passed 0 failed 0 broken 1 schedules 0 report 0 replay 0")));
  EXPECT_THAT(ran.err, HasSubstr("no strategy `no such'"));
}

TEST_F(CheckTest, TheProgramsStateIsTheBodysAndStaysAsItWas) {
  for (const char* what : {"old_memory", "old_state", "among_threads"}) {
    const Result ran = run_check(what);
    EXPECT_EQ(ran.exit_code, 0) << what << ran;
    EXPECT_THAT(ran.out, HasSubstr("after"));
  }
}

TEST_F(CheckTest, EveryExecutorWillDo) {
  for (const char* executor : {"snapshot", "fork"}) {
    const std::map<std::string, std::optional<std::string>> env = {
        {"JOSTLE_OPTIONS", std::string("--executor=") + executor}};
    EXPECT_EQ(run_check("old_memory", "gcc", env).exit_code, 0) << executor;
    EXPECT_EQ(run_check("lost_update", "gcc", env).signal, SIGABRT) << executor;
    // A process per run is slow: it ends with the failure.
    const std::map<std::string, std::optional<std::string>> longer = {
        {"JOSTLE_OPTIONS", std::string("--time=50s --executor=") + executor}};
    EXPECT_THAT(run_check("ten", "gcc", longer).err, HasSubstr("with   i = 10")) << executor;
  }
}

TEST_F(CheckTest, WithoutInstrumentationSynchronisationIsControlled) {
  EXPECT_EQ(run_check("passes", "plain").exit_code, 0);
  const Result ran = run_check("deadlock", "plain");
  EXPECT_THAT(ran.err, HasSubstr("DEADLOCK")) << ran;
  EXPECT_EQ(replay().exit_code, 77);
}

TEST_F(CheckTest, MistakesAreNamed) {
  EXPECT_THAT(run_check("leaves_a_thread").err,
              HasSubstr("returned while 1 of its threads was still"));
  EXPECT_THAT(run_check("nested").err, HasSubstr("a check inside the body of another"));
  EXPECT_THAT(run_check("nondeterministic").err,
              HasSubstr("does not do the same twice under the same schedule"));
  const Result lost = run_check("passes", "gcc", {{"JOSTLE_COMMAND", "/nowhere/jostle"}});
  EXPECT_THAT(lost.err, HasSubstr("JOSTLE_COMMAND"));
  EXPECT_NE(lost.exit_code, 0);
}

TEST_F(CheckTest, UnderTheCommandItIsAPartOfTheProgram) {
  const Result ran = jostle({"fuzz", "--seed", "1", "--", program("gcc", "checks/checks"), "ten"},
                            {.cwd = dir_.path()});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_THAT(ran.out, HasSubstr("with   i = 10"));
}

// ---- properties ---------------------------------------------------------------------------------

TEST_F(CheckTest, InputAndScheduleAreFoundTogether) {
  const Result ran = run_check("ten");
  EXPECT_EQ(ran.signal, SIGABRT) << ran;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("assertion `y != 2'"), HasSubstr("with   i = 10")));
  const json file = json::parse(read_file(replay_file()));
  EXPECT_EQ(file["inputs"], json::parse("[[\"signed\", -9223372036854775808, "
                                        "9223372036854775807, 10]]"));
  EXPECT_EQ(file["values"], json::parse("[\"i = 10\"]"));
  const Result again = replay();
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("with   i = 10"));
}

TEST_F(CheckTest, CounterexamplesAreAsSmallAsCanBe) {
  const Result ran = run_check("kinds");
  EXPECT_THAT(ran.err, HasSubstr("  with   point = <21|0>\n"
                                 "         numbers = {0, 0}\n"
                                 "         text = \"aaa\"\n"
                                 "         map = {}\n"
                                 "         letter = nothing\n"
                                 "         real = 0\n"))
      << ran;
  EXPECT_THAT(run_check("assumes").err, HasSubstr("with   n = 66"));
}

TEST_F(CheckTest, ExamplesComeFirst) {
  const Result ran = run_check("example");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("after 1 schedule"), HasSubstr("a = -123456789"),
                             HasSubstr("b = 987654321")))
      << ran;
}

TEST_F(CheckTest, GeneratorsThatCannotWorkAreNamed) {
  EXPECT_THAT(run_check("nothing_fits").err, HasSubstr("rejected the inputs of all"));
  EXPECT_THAT(run_check("bad_generator").err,
              HasSubstr("a generator threw an exception: no number today"));
  EXPECT_THAT(run_check("empty_range").err, HasSubstr("gen::range: 9 is greater than 0"));
  EXPECT_THAT(run_check("all_schedules_of_a_property").err,
              HasSubstr("explores all schedules of one input"));
}

TEST_F(CheckTest, ThereIsMoreTimeForThoseWhoWantIt) {
  const Result ran = run_check("empty_property", "gcc", {{"JOSTLE_FUZZ_FOR", "300ms"}});
  EXPECT_THAT(ran.err, HasSubstr("no failure in 0.")) << ran;
}

// ---- other frameworks ---------------------------------------------------------------------------

TEST_F(CheckTest, OtherFrameworksFailTheirTestCases) {
  for (const std::string name : {"catch2", "catch2_main", "doctest"}) {
    const std::string tests = program("gcc", "checks/" + name + "_tests");
    if (!fs::exists(tests)) continue;  // not installed, or only in long_tests.txt
    const std::string adds = name != "doctest" ? "adds" : "--test-case=adds";
    const Result passed = run({tests, adds}, {.cwd = dir_.path()});
    EXPECT_EQ(passed.exit_code, 0) << name << passed;
    const std::string option = name != "doctest" ? "" : "--test-case=";
    EXPECT_EQ(run({tests, option + "AddsAtOnce"}, {.cwd = dir_.path()}).exit_code, 0) << name;
    const Result twice = run({tests, option + "AddsInTwoSteps"}, {.cwd = dir_.path()});
    EXPECT_NE(twice.exit_code, 0) << name;
    EXPECT_THAT(twice.out, AllOf(HasSubstr("AddsInTwoSteps"), HasSubstr("NOT LINEARIZABLE"),
                                 HasSubstr("nearest"), HasSubstr("jostle replay")))
        << name << twice;
    const Result ran = run({tests}, {.cwd = dir_.path()});
    EXPECT_NE(ran.exit_code, 0) << name;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("forgets"), HasSubstr("`n == 2 with"),
                               HasSubstr("1 preemption"), HasSubstr("jostle replay")))
        << name << ran;
  }
}

// ---- GoogleTest ---------------------------------------------------------------------------------

TEST_F(CheckTest, GoogleTestRunsThemLikeOthers) {
  const std::string tests = program("gcc", "examples/account_test");
  const Result passed =
      run({tests, "--gtest_filter=*AddUp", "--gtest_output=xml:out.xml"}, {.cwd = dir_.path()});
  EXPECT_EQ(passed.exit_code, 0) << passed;
  EXPECT_THAT(passed.out, HasSubstr("[  PASSED  ] 1 test."));
  EXPECT_THAT(read_file(dir_.path() / "out.xml"), HasSubstr("jostle_schedules"));

  const Result failed = run({tests, "--gtest_output=xml:out.xml"}, {.cwd = dir_.path()});
  EXPECT_EQ(failed.exit_code, 1) << failed;
  EXPECT_THAT(failed.out,
              AllOf(HasSubstr("[  FAILED  ] Account.IsNeverOverdrawn"),
                    HasSubstr("with   balance = 1\n         first = 1\n         second = 1\n"),
                    HasSubstr("Expected: (account.balance()) >= (0), actual: -1")));
  EXPECT_THAT(read_file(dir_.path() / "out.xml"), HasSubstr("balance = 1"));
  const json file = json::parse(read_file(replay_file()));
  EXPECT_THAT(file["program"]["args"].dump(), HasSubstr("--gtest_filter=Account.IsNeverOverdrawn"));
  EXPECT_EQ(replay().exit_code, 77);

  const Result longer =
      run({tests, "--gtest_filter=*AddUp", "--jostle_fuzz_for=200ms"}, {.cwd = dir_.path()});
  EXPECT_EQ(longer.exit_code, 0) << longer;
  EXPECT_THAT(longer.err, HasSubstr("VERIFIED: all 2 executions explored"));
}

}  // namespace
}  // namespace jostle::test
