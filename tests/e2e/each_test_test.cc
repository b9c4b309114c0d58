// SPDX-License-Identifier: Apache-2.0
// `jostle fuzz --each-test`: the tests of ordinary test programs, each by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

// tests/programs/each_test/
class EachTest : public testing::Test {
 protected:
  static std::string tests(const std::string& framework, const std::string& flavour = "gcc") {
    return program(flavour, "each_test/counter_" + framework);
  }

  // `rest`: options, then the program and its arguments.
  Result fuzz(std::vector<std::string> rest, RunOptions options = {}) {
    rest.insert(rest.begin(), {"fuzz", "--each-test", "-o", dir_.file("out")});
    options.cwd = dir_.path();
    return jostle(std::move(rest), options);
  }

  // What came of each test, as tests.json has it.
  std::map<std::string, std::string> results(const std::string& name) const {
    std::map<std::string, std::string> found;
    const json file =
        json::parse(read_file(dir_.path() / "out" / name / "tests.json"), nullptr, false);
    if (!file.is_object()) return found;
    for (const json& test : file["tests"]) found[test["name"]] = test["result"];
    return found;
  }

  json stats_of(const std::string& name, const std::string& test) const {
    const json file = json::parse(read_file(dir_.path() / "out" / name / "tests.json"));
    for (const json& entry : file["tests"]) {
      if (entry["name"] == test) return entry["stats"];
    }
    return {};
  }

  TempDir dir_;
};

TEST_F(EachTest, OfGoogleTestIsRunByItselfAndNamed) {
  const Result ran = fuzz({"-n", "200", "--seed", "1", tests("gtest")});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_THAT(results("counter_gtest"),
              UnorderedElementsAre(
                  Pair("Counter.AddsUp", "passed"), Pair("Counter.LosesOne", "failed"),
                  Pair("Counter.DISABLED_IsBroken", "left_out"), Pair("Helper.One", "failed"),
                  Pair("Helper.Two", "failed"), Pair("Both/Safety.Decides/0", "failed"),
                  Pair("Both/Safety.Decides/1", "passed"), Pair("Typed/0.AddsUp", "passed"),
                  Pair("Typed/1.AddsUp", "passed"), Pair("Surroundings.AreAsWanted", "passed")));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("counter_gtest · GoogleTest · 9 tests, 1 left out"),
                             HasSubstr("jostle: 2 of 9: Counter.LosesOne")));
  // The headline has the test and what it expected; the table a line for each.
  EXPECT_THAT(ran.out, ContainsRegex("FAILED in test Counter\\.LosesOne after [0-9,]+ schedules? "
                                     "\\([a-z:=0-9]+\\): *\n? *counter_gtest\\.cc:[0-9]+: Expected "
                                     "equality"));
  EXPECT_THAT(ran.out, ContainsRegex("\n  Counter\\.LosesOne +[0-9,]+  FAILED: counter_gtest.cc:"));
  EXPECT_THAT(ran.out, ContainsRegex("\n  Counter\\.AddsUp +[0-9,]+  passed"));
  EXPECT_THAT(ran.out, ContainsRegex("\n10 tests in [0-9.]+ s: 4 failed, 5 passed, 1 left out\n"));
}

TEST_F(EachTest, TwoThatFailAtOnePlaceAreTwoFailures) {
  const Result ran = fuzz({"-n", "200", "--seed", "1", tests("gtest"), "--gtest_filter=Helper.*"});
  ASSERT_EQ(ran.exit_code, 77) << ran;
  const json one = stats_of("counter_gtest", "Helper.One"),
             two = stats_of("counter_gtest", "Helper.Two");
  EXPECT_EQ(one["test"], "Helper.One");
  EXPECT_EQ(one["failures"][0]["summary"], two["failures"][0]["summary"]);
  EXPECT_NE(one["failures"][0]["signature"], two["failures"][0]["signature"]);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("FAILED in test Helper.One after"),
                             HasSubstr("FAILED in test Helper.Two after")));
  // It is found under the same name again, and replays under it.
  const std::string file = two["failures"][0]["replay"];
  EXPECT_THAT(file, HasSubstr("out/counter_gtest/Helper.Two/assert-"));
  EXPECT_EQ(json::parse(read_file(file))["program"]["test"], "Helper.Two");
  const Result again = jostle({"replay", file}, {.cwd = dir_.path()});
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("FAILED in test Helper.Two after"));
}

TEST_F(EachTest, TheUsersChoiceOfTestsIsRespected) {
  Result ran = fuzz({"-n", "20", "--", tests("gtest"), "--gtest_filter=*AddsUp-Typed/1.*"});
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_THAT(results("counter_gtest"), UnorderedElementsAre(Pair("Counter.AddsUp", "passed"),
                                                             Pair("Typed/0.AddsUp", "passed")));
  ran = fuzz({"-n", "20", "--", tests("gtest"), "--gtest_filter=Counter.*Broken",
              "--gtest_also_run_disabled_tests"});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_THAT(results("counter_gtest"),
              UnorderedElementsAre(Pair("Counter.DISABLED_IsBroken", "failed")));
  ran = fuzz({"-n", "20", "--", tests("gtest"), "--gtest_filter=Nothing.*"});
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("the arguments choose none"));
}

TEST_F(EachTest, OfCatch2WhateverItIsCalled) {
  if (!fs::exists(tests("catch2"))) GTEST_SKIP() << "no Catch2";
  const Result ran = fuzz({"-n", "200", "--seed", "1", tests("catch2")});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_THAT(results("counter_catch2"),
              UnorderedElementsAre(Pair("adds up", "passed"), Pair("loses, one [of two]", "failed"),
                                   Pair("\"quoted\" and \\ more", "failed"),
                                   Pair("~not this", "passed"), Pair("  space in front", "passed"),
                                   Pair("star*", "left_out"), Pair("starts the same", "passed")))
      << ran;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("FAILED in test loses, one [of two] after"),
                             HasSubstr("its name chooses other tests, too")));
  EXPECT_THAT(ran.out, Not(HasSubstr("hidden")));
  EXPECT_THAT(
      std::string(stats_of("counter_catch2", "loses, one [of two]")["failures"][0]["summary"]),
      ContainsRegex("^counter_catch2\\.cc:[0-9]+: REQUIRE\\( counted\\(false\\) == 2 \\), "
                    "with expansion: 1 == 2$"));
  // Tags choose; one that is hidden is run for who asks for it.
  EXPECT_EQ(fuzz({"-n", "200", "--", tests("catch2"), "[.]"}).exit_code, 77);
  EXPECT_THAT(results("counter_catch2"), UnorderedElementsAre(Pair("hidden", "failed")));
}

TEST_F(EachTest, OfDoctestAlsoWhereNamesAreTheSame) {
  if (!fs::exists(tests("doctest"))) GTEST_SKIP() << "no doctest";
  const Result ran = fuzz({"-n", "200", "--seed", "1", "--format", "junit", tests("doctest")});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_THAT(results("counter_doctest"),
              UnorderedElementsAre(Pair("adds up", "passed"), Pair("loses, one", "failed"),
                                   Pair("<star> & \"*\"", "passed"), Pair("twice", "passed"),
                                   Pair("twice (second)", "failed")))
      << ran;
  EXPECT_THAT(read_file(dir_.path() / "out/counter_doctest/junit.xml"),
              HasSubstr("CHECK( counted(false) == 2 ) is NOT correct!"));
}

TEST_F(EachTest, OfCTestAsItIsConfigured) {
  const std::string where = dir_.path() / "here";
  fs::create_directories(where);
  dir_.write("build/CTestTestfile.cmake",
             "add_test(adds \"" + tests("gtest") + "\" \"--gtest_filter=Counter.AddsUp\")\n" +
                 "add_test(around \"" + tests("gtest") + "\" \"--gtest_filter=Surroundings.*\")\n" +
                 "set_tests_properties(around PROPERTIES WORKING_DIRECTORY \"" + where +
                 "\" ENVIRONMENT \"WANTED_DIRECTORY=" + where + "\")\n" + "add_test(breaks \"" +
                 tests("gtest") + "\" \"--gtest_filter=Helper.One\")\n" + "add_test(expected \"" +
                 tests("gtest") + "\" \"--gtest_filter=Counter.LosesOne\")\n" +
                 "set_tests_properties(expected PROPERTIES WILL_FAIL \"TRUE\")\n" +
                 "add_test(off \"" + tests("gtest") + "\")\n" +
                 "set_tests_properties(off PROPERTIES DISABLED \"TRUE\")\n" +
                 "add_test(script \"/bin/true\")\nadd_test(unbuilt \"/nowhere/tests\")\n");
  const Result ran = fuzz({"-n", "200", "--seed", "1", "build"});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_THAT(results("build"),
              UnorderedElementsAre(Pair("adds", "passed"), Pair("around", "failed"),
                                   Pair("breaks", "failed"), Pair("expected", "passed"),
                                   Pair("off", "left_out"), Pair("script", "left_out"),
                                   Pair("unbuilt", "left_out")))
      << ran;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("true was not built with `jostle c++`"),
                             HasSubstr("left out: disabled"), HasSubstr("in test breaks after"),
                             HasSubstr("env WANTED_DIRECTORY=" + where + " jostle replay")));
  // The lost update, not the folder, is what `around` fails for; and so it replays.
  const json around = stats_of("build", "around");
  EXPECT_THAT(std::string(around["failures"][0]["summary"]), HasSubstr("counted(false)"));
  const Result again = jostle({"replay", around["failures"][0]["replay"]},
                              {.env = {{"WANTED_DIRECTORY", where}}, .cwd = dir_.path()});
  EXPECT_EQ(again.exit_code, 77) << again;
  // ctest's own options choose.
  EXPECT_EQ(fuzz({"-n", "20", "build", "-R", "^adds$"}).exit_code, 0);
  EXPECT_THAT(results("build"), UnorderedElementsAre(Pair("adds", "passed")));
}

TEST_F(EachTest, OneJUnitFileHasThemAllAsTheirFrameworkNamesThem) {
  const Result ran = fuzz({"-n", "200", "--seed", "1", "--format", "junit", tests("gtest"),
                           "--gtest_filter=Counter.*:Both/*"});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  const std::string file = dir_.path() / "out/counter_gtest/junit.xml";
  EXPECT_THAT(ran.out, HasSubstr(file));
  const Result parsed = run({"python3", "-c", R"(
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(root.tag, root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped"))
for suite in root:
    for case in suite:
        print(suite.get("name"), case.get("classname"), case.get("name"),
              ",".join(child.tag for child in case))
)",
                             file});
  EXPECT_EQ(parsed.out,
            "testsuites 5 2 0 1\n"
            "Counter Counter AddsUp system-out\n"
            "Counter Counter LosesOne failure\n"
            "Counter Counter DISABLED_IsBroken skipped\n"
            "Both/Safety Both/Safety Decides/0 failure\n"
            "Both/Safety Both/Safety Decides/1 system-out\n")
      << parsed;
}

TEST_F(EachTest, DocumentsOnStandardOutputAreAllThereIs) {
  const std::vector<std::string> words = {"-n", "100",          "--seed",
                                          "1",  tests("gtest"), "--gtest_filter=Counter.*"};
  std::vector<std::string> with_json = words, with_format = words;
  with_json.insert(with_json.begin(), "--json");
  const json stats = json::parse(fuzz(with_json).out, nullptr, false);
  ASSERT_TRUE(stats.is_object());
  EXPECT_EQ(stats["format"], "jostle-tests");
  EXPECT_EQ(stats["framework"], "GoogleTest");
  EXPECT_EQ(stats["tests"].size(), 3u);
  with_format.insert(with_format.begin(), {"fuzz", "--each-test", "--format", "json"});
  const json document = json::parse(jostle(with_format, {.cwd = dir_.path()}).out, nullptr, false);
  ASSERT_TRUE(document.is_object());
  ASSERT_EQ(document["findings"].size(), 1u);
  EXPECT_EQ(document["findings"][0]["test"], "Counter.LosesOne");
  EXPECT_THAT(std::string(document["findings"][0]["headline"]),
              HasSubstr("FAILED in test Counter.LosesOne after"));
}

// The two that are explored in no time leave theirs to the others; all of it is kept.
TEST_F(EachTest, TheTimeIsSharedAndKept) {
  const Result ran =
      fuzz({"-t", "3s", "--strategy", "random", tests("gtest"), "--gtest_filter=*AddsUp"});
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_GT(ran.seconds, 2.7);
  EXPECT_LT(ran.seconds, 3 * 1.5 + 2);
  for (const std::string test : {"Counter.AddsUp", "Typed/0.AddsUp", "Typed/1.AddsUp"}) {
    const double seconds = stats_of("counter_gtest", test)["elapsed_s"];
    EXPECT_GT(seconds, 0.5) << test;
    EXPECT_LT(seconds, 1.6) << test;
  }
}

TEST_F(EachTest, AFailingTestLeavesItsTimeToOthers) {
  const Result ran = fuzz({"-t", "4s", "--strategy", "random", "--minimize", "off", tests("gtest"),
                           "--gtest_filter=Helper.*:Typed/0.*"});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_LT(ran.seconds, 4 * 1.5 + 2);
  EXPECT_GT(double(stats_of("counter_gtest", "Typed/0.AddsUp")["elapsed_s"]), 1.6) << ran;
}

TEST_F(EachTest, CtrlCEndsAllOfThemWithATable) {
  const Result ran = run({"timeout", "-s", "INT", "--foreground", "2", jostle_bin(), "fuzz",
                          "--each-test", "-t", "60s", "--strategy", "random", "-o",
                          dir_.file("out"), tests("gtest"), "--gtest_filter=*AddsUp"});
  EXPECT_LT(ran.seconds, 20) << ran;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("not tested: interrupted"), HasSubstr("not run"),
                             HasSubstr("3 tests in ")))
      << ran;
  EXPECT_EQ(results("counter_gtest")["Typed/1.AddsUp"], "not_run");
}

TEST_F(EachTest, WorkersSearchSideBySide) {
  const Result ran = fuzz({"-n", "200", "-j", "2", tests("gtest"), "--gtest_filter=Counter.*"});
  EXPECT_EQ(ran.exit_code, 77) << ran;
  EXPECT_EQ(stats_of("counter_gtest", "Counter.AddsUp")["workers"], 2);
}

TEST_F(EachTest, AProgramThatIsNotInstrumentedIsNamedOnce) {
  const Result ran = fuzz({"-n", "50", tests("gtest", "plain"), "--gtest_filter=*AddsUp"});
  EXPECT_EQ(ran.exit_code, 0) << ran;
  const std::string note = "was not built with `jostle c++`";
  const size_t first = ran.err.find(note);
  EXPECT_NE(first, std::string::npos) << ran;
  EXPECT_EQ(ran.err.find(note, first + 1), std::string::npos) << ran;
}

TEST_F(EachTest, SaysWhatItLookedForWhereThereAreNoTests) {
  const std::string plain = build(dir_, "plain", kLostUpdate);
  Result ran = fuzz({plain});
  EXPECT_EQ(ran.exit_code, 4) << ran;
  EXPECT_THAT(ran.err, HasSubstr("neither GoogleTest, Catch2 nor doctest is in it"));
  fs::create_directories(dir_.path() / "empty");
  ran = fuzz({"empty"});
  EXPECT_EQ(ran.exit_code, 4) << ran;
  EXPECT_THAT(ran.err, HasSubstr("without CTestTestfile.cmake"));
  ran = fuzz({"missing"});
  EXPECT_EQ(ran.exit_code, 3) << ran;
  ran = fuzz({"--input", "corpus", tests("gtest")});
  EXPECT_EQ(ran.exit_code, 2) << ran;
}

// What a framework does to compare and print is the line that asked for it.
TEST(TestFrameworks, RowsAreLinesOfTheTestAndNotOfItsFramework) {
  const TempDir folder;
  const std::string source = folder.write("rows.cc", R"(
#include <gtest/gtest.h>

#include <thread>
static int counter;
static void add() { ++counter; }
TEST(Counter, CountsTwo) {
  counter = 0;
  std::thread first(add), second(add);
  first.join();
  second.join();
  EXPECT_EQ(counter, 2);
}
TEST(Other, Passes) { EXPECT_EQ(1, 1); }
)");
  const std::string path = folder.file("rows");
  const Result built = jostle({"c++", "-g", "-O1", "-std=c++20", source, "-o", path, "-lgtest_main",
                               "-lgtest", "-pthread"});
  ASSERT_TRUE(built.ok()) << built;
  for (const char* seed : {"1", "2", "3", "4"}) {
    const Result result =
        jostle({"fuzz", "--fresh", "--seed", seed, "-o", folder.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    EXPECT_THAT(result.out, HasSubstr("EXPECT_EQ(counter, 2);  (reads 1)")) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("gtest.h"))) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("gtest-"))) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("testing::"))) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("TEST(Other"))) << result;
  }
}

}  // namespace
}  // namespace jostle::test
