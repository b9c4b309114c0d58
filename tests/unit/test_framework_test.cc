// SPDX-License-Identifier: Apache-2.0
// How the lists of GoogleTest, Catch2, doctest and ctest are read, and tests are chosen.
#include "src/cli/suites/test_framework.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/cli/suites/each_test.h"
#include "src/cli/suites/test_suite.h"

namespace jostle::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using namespace std::chrono_literals;

TEST(TestFramework, IsSeenInTheFileOfAProgram) {
  EXPECT_THAT(frameworks_in("…_ZN5Catch7AutoRegC1E…gtest_list_tests"),
              ElementsAre(Framework::catch2));
  EXPECT_THAT(frameworks_in("stripped: --gtest_list_tests"), ElementsAre(Framework::googletest));
  EXPECT_THAT(frameworks_in("dt-list-test-cases"), ElementsAre(Framework::doctest));
  EXPECT_THAT(frameworks_in("int main() {}"), IsEmpty());
}

TEST(TestFramework, GoogleTestsListHasSuitesAndRemarks) {
  const auto tests =
      read_list(Framework::googletest,
                "Running main() from gtest_main.cc\nStarted.  Now the tests.\n"
                "Queue.\n  Push\n  DISABLED_Pop\nTyped/0.  # TypeParam = int\n  Works\n"
                "In/Sizes.\n  Adds/0  # GetParam() = \"a. b\"\r\nBye bye.\n");
  ASSERT_TRUE(tests);
  EXPECT_THAT(*tests, ElementsAre(ListedTest{"Queue.Push", "Queue"},
                                  ListedTest{"Queue.DISABLED_Pop", "Queue"},
                                  ListedTest{"Typed/0.Works", "Typed/0"},
                                  ListedTest{"In/Sizes.Adds/0", "In/Sizes"}));
  EXPECT_TRUE(is_disabled((*tests)[1]));
  EXPECT_FALSE(is_disabled((*tests)[0]));
  EXPECT_TRUE(is_disabled({"In/DISABLED_Sizes.Adds/0", "In/DISABLED_Sizes"}));
  // Who ran its tests instead has not listed them.
  EXPECT_FALSE(read_list(Framework::googletest, "[==========] Running 2 tests\n"));
  EXPECT_THAT(*read_list(Framework::googletest, "Running main()\n"), IsEmpty());
}

TEST(TestFramework, DisabledTestsAreForThoseWhoAskForThem) {
  EXPECT_FALSE(wants_disabled({"--gtest_filter=*"}));
  EXPECT_TRUE(wants_disabled({"--gtest_also_run_disabled_tests"}));
  EXPECT_TRUE(wants_disabled({"-gtest_also_run_disabled_tests=1"}));
  EXPECT_FALSE(
      wants_disabled({"--gtest_also_run_disabled_tests", "--gtest_also_run_disabled_tests=0"}));
}

TEST(TestFramework, CatchsChoiceReplacesTheUsers) {
  const TestArguments user = {"-s",           "-r",    "compact",      "[fast]",
                              "--input-file", "names", "--order=rand", "~[slow]"};
  EXPECT_THAT(
      arguments_for(Framework::catch2, user, {"a, [b] \"c\" ~d \\"}),
      ElementsAre("-s", "-r", "compact", "--order=rand", "a\\, \\[b\\] \\\"c\\\" \\~d \\\\"));
  EXPECT_FALSE(is_surely_one(Framework::catch2, {"star*"}));
  EXPECT_FALSE(is_surely_one(Framework::catch2, {" space"}));
  EXPECT_TRUE(is_surely_one(Framework::catch2, {"plain name"}));
  // Hidden ones are left out unless the user chooses.
  EXPECT_THAT(questions(Framework::catch2, {})[0], ElementsAre("~[.]", "--list-test-names-only"));
  EXPECT_THAT(questions(Framework::catch2, {"[.]"})[0],
              ElementsAre("[.]", "--list-test-names-only"));
}

TEST(TestFramework, DoctestsListIsADocument) {
  const auto tests =
      read_list(Framework::doctest,
                "my own words\n<?xml version=\"1.0\"?>\n<doctest binary=\"t\">\n"
                "  <TestCase name=\"a &lt;b> &amp; &quot;c&quot;\" testsuite=\"s\" "
                "filename=\"t.cc\" line=\"1\"/>\n"
                "  <TestCase name=\"off\" filename=\"t.cc\" skipped=\"true\"/>\n</doctest>\n");
  ASSERT_TRUE(tests);
  EXPECT_THAT(*tests, ElementsAre(ListedTest{"a <b> & \"c\"", "s", "t.cc"}));
  EXPECT_FALSE(read_list(Framework::doctest, "[doctest] run with --help\n"));
  EXPECT_THAT(arguments_for(Framework::doctest, {"-tc=x*", "-s", "--test-suite=s"}, {"a, b"}, 2),
              ElementsAre("-s", "--test-suite=s", "--test-case=a? b", "--first=2", "--last=2"));
}

TEST(CTestList, HasCommandsAndProperties) {
  const Result<TestSuite> suite = read_ctest_list(
      R"({"kind": "ctestInfo", "tests": [
        {"name": "a", "command": ["/x/a", "-v"], "properties": [
          {"name": "ENVIRONMENT", "value": ["A=1=2", "broken", "B="]},
          {"name": "ENVIRONMENT_MODIFICATION",
           "value": ["A=string_append:3", "B=path_list_prepend:/bin", "C_NOT_SET=set:c"]},
          {"name": "WORKING_DIRECTORY", "value": "/y"},
          {"name": "SKIP_RETURN_CODE", "value": 77}]},
        {"name": "b", "command": ["/x/b"], "properties": [
          {"name": "DISABLED", "value": true}, {"name": "WILL_FAIL", "value": true}]},
        {"name": "c"}, 7]})",
      "build");
  ASSERT_TRUE(suite);
  ASSERT_EQ(suite->tests.size(), 3u);
  const TestCase& a = suite->tests[0];
  EXPECT_THAT(a.command, ElementsAre("/x/a", "-v"));
  EXPECT_THAT(a.environment,
              ElementsAre(Pair("A", "1=23"), Pair("B", "/bin"), Pair("C_NOT_SET", "c")));
  EXPECT_EQ(a.directory, "/y");
  EXPECT_EQ(a.skip_code, 77);
  EXPECT_EQ(a.left_out, "");
  EXPECT_EQ(suite->tests[1].left_out, "disabled");
  EXPECT_TRUE(suite->tests[1].any_exit_is_ok);
  EXPECT_EQ(suite->tests[2].left_out, "its program is not built");
  for (const char* text : {"", "no JSON", "[]", R"({"tests": 7})"}) {
    EXPECT_FALSE(read_ctest_list(text, "build")) << text;
  }
}

TEST(SharedTime, IsTheSameForAllAndWhatIsLeftGoesToTheOthers) {
  const Budget all(60s);
  SharedTime time(60s, all, 4);
  EXPECT_EQ(time.next(), 15s);
  time.used(15s);
  EXPECT_EQ(time.next(), 15s);
  time.used(3s);  // of the third and fourth it is the gain
  EXPECT_EQ(time.next(), 21s);
  time.used(30s);  // confirming takes no time of the search's
  EXPECT_EQ(time.next(), 21s);
  time.used(21s);
  EXPECT_EQ(time.next(), 0s);
  EXPECT_LE(time.budget().left(), all.left());
}

}  // namespace
}  // namespace jostle::cli
