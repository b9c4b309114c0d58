// SPDX-License-Identifier: Apache-2.0
// What a report costs, in processor time: reading debug information, and all that comes after a
// campaign's search. Bounds are several times what it takes, for machines that are busy or slow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;

// Of all children that have ended, with theirs.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The least of a few times: caches of a shared machine may be somebody else's at the moment.
double cost_of(const std::vector<std::string>& words, int exit_code) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double before = processor_seconds();
    const Result result = jostle(words);
    EXPECT_EQ(result.exit_code, exit_code) << result;
    least = std::min(least, processor_seconds() - before);
  }
  return least;
}

// Ten megabytes of program and debug information, most of it in one unit. It took 8.9 s once.
TEST(Costs, NamesOfAProgramWithMuchDebugInformation) {
  if (!fs::exists("/usr/include/catch2/catch.hpp")) GTEST_SKIP() << "no Catch2 of one header";
  const TempDir folder;
  const std::string source = folder.write("large.cc", R"(
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>
#include <thread>
static int counter;
static void add() { ++counter; }
TEST_CASE("four") {
  counter = 0;
  std::thread a(add), b(add), c(add), d(add);
  a.join(); b.join(); c.join(); d.join();
  REQUIRE(counter == 4);
}
)");
  const std::string path = folder.file("large");
  const Result built = jostle({"c++", "-g", "-O1", "-std=c++17", "-pthread", source, "-o", path},
                              {.time_limit = 300});
  ASSERT_TRUE(built.ok()) << built;
  ASSERT_GT(fs::file_size(path), 8u << 20);
  const Result found = jostle({"fuzz", "--seed", "1", "-o", folder.file("out"), "--", path});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, testing::HasSubstr("counter")) << found;
  EXPECT_LT(cost_of({"replay", recording_in(folder.file("out"))}, 77), 0.5);
}

// A program of 1.5 MB with many frames of the library's. Its report took 0.9 s once.
TEST(Costs, ReportOfATestOfOperations) {
  const TempDir folder;
  const Result found = run({program("gcc", "linearizable/others"), "CacheUpgrades"},
                           {.env = {{"JOSTLE_OPTIONS", "--quiet --seed=1"}}, .cwd = folder.path()});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_LT(cost_of({"replay", recording_in(folder.path())}, 77), 0.5);
}

// The search is the few schedules until it fails: what is left is confirming, minimising, races and
// reports.
class CostsOfTheEnd : public testing::TestWithParam<const char*> {};

TEST_P(CostsOfTheEnd, AreSmall) {
  const std::string path = std::string(JOSTLE_BUILD_DIR "/subjects/") + GetParam();
  if (!fs::exists(path)) GTEST_SKIP() << "not built";
  const TempDir folder;
  EXPECT_LT(cost_of({"fuzz", "--fresh", "--seed", "1", "-o", folder.file("out"), "--", path}, 77),
            2);
}

INSTANTIATE_TEST_SUITE_P(Subjects, CostsOfTheEnd,
                         testing::Values("work_steal_queue", "pep_token", "aget_bug2"),
                         [](const auto& test) { return std::string(test.param); });

// A hundred places that race: each is looked up with its stacks.
TEST(Costs, OfListingManyRaces) {
  std::string source = "#include <pthread.h>\n";
  std::string calls;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    source += "struct s" + n + " { int a, b[4]; } v" + n + ";\n";
    source += "__attribute__((noinline)) static void f" + n + "(void) { v" + n + ".a++; v" + n +
              ".b[2]--; }\n";
    calls += "  f" + n + "();\n";
  }
  source += "static void* work(void* unused) {\n" + calls + "  return unused;\n}\n";
  source +=
      "int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, work, 0);\n"
      "  pthread_create(&b, 0, work, 0);\n  pthread_join(a, 0);\n  pthread_join(b, 0);\n}\n";
  const TempDir folder;
  const std::string path = build(folder, "races", source);
  const std::vector<std::string> words = {"fuzz", "--fresh", "--seed",           "1",  "-n",
                                          "50",   "-o",      folder.file("out"), "--", path};
  const Result result = jostle(words);
  EXPECT_THAT(result.out, testing::ContainsRegex("[0-9][0-9]+ data races seen")) << result;
  EXPECT_LT(cost_of(words, 0), 2);
}

}  // namespace
}  // namespace jostle::test
