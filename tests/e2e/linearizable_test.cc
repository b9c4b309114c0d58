// SPDX-License-Identifier: Apache-2.0
// Tests of what operations return side by side (<jostle/linearizable.hpp>): broken structures are
// found, minimised and explained, right ones pass, by themselves and in every framework.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Of tests/programs/linearizable.
struct Structure {
  const char* program;
  const char* test;
  int most_operations = 4;  // of the scenario that is reported
  int schedules = 2000;     // without --long, of what is right
};

void PrintTo(const Structure& structure, std::ostream* to) { *to << structure.test; }

std::string name_of(const testing::TestParamInfo<Structure>& info) { return info.param.test; }

class Linearizable : public testing::TestWithParam<Structure> {
 protected:
  Result run_test(const std::string& seconds, int seed, const std::string& more = {}) {
    return run(
        {program("gcc", std::string("linearizable/") + GetParam().program), GetParam().test},
        {.env = {{"JOSTLE_FUZZ_FOR", seconds},
                 {"JOSTLE_OPTIONS", "--quiet --minimize=3s --seed=" + std::to_string(seed) + more}},
         .cwd = dir_.path(),
         .time_limit = 120});
  }

  TempDir dir_;
};

class Broken : public Linearizable {};

TEST_P(Broken, IsFoundMadeSmallAndReplays) {
  for (int seed = 1; seed <= long_or_short(20, 1); ++seed) {
    fs::remove_all(dir_.path() / "jostle-out");
    const Result found = run_test("10s", seed);
    ASSERT_EQ(found.exit_code, 77) << "seed " << seed << "\n" << found;
    const std::string file = recording_in(dir_.path());
    const Result again = jostle({"replay", "--format", "json", file}, {.cwd = dir_.path()});
    EXPECT_EQ(again.exit_code, 77) << again;
    // Where a structure says what always holds, that may be what it breaks first.
    if (found.out.find("the invariant does not hold") != std::string::npos) continue;
    EXPECT_THAT(found.out, AllOf(HasSubstr("NOT LINEARIZABLE"),
                                 HasSubstr("what was called side by side"), HasSubstr("nearest")));
    const auto run = nlohmann::json::parse(again.out, nullptr, false);
    ASSERT_TRUE(run.is_object() && run["findings"].size() == 1) << again;
    const auto& history = run["findings"][0]["history"];
    EXPECT_LE(history["operations"].size(), static_cast<size_t>(GetParam().most_operations))
        << found;
    EXPECT_FALSE(history["nearest"].empty()) << again;
  }
}

constexpr Structure kBroken[] = {
    {"treiber", "WithoutTags", 12}, {"queues", "Hasty"},         {"queues", "TakesUnchecked"},
    {"queues", "VyukovOfMany"},     {"queues", "HerlihyWing"},   {"queues", "RingOfMany"},
    {"queues", "SkipsOne", 6},      {"queues", "ForgetsToWake"}, {"others", "LazyUnvalidated"},
    {"others", "SingleCollect"},    {"others", "CountsTwice"},   {"others", "StripedSize"},
    {"others", "CacheUpgrades"},
};
INSTANTIATE_TEST_SUITE_P(All, Broken, testing::ValuesIn(kBroken), name_of);

// What people write every day.
constexpr Structure kEverydayBroken[] = {
    {"everyday", "RingHalfLocked"},    {"everyday", "LruLocksTwice", 5},
    {"everyday", "SetMovesInTwo"},     {"everyday", "ShardsTakeAll"},
    {"everyday", "ClosesWithoutLock"}, {"everyday", "PoolTakesInTwo"},
    {"everyday", "LimiterTakesInTwo"}, {"everyday", "MapManyWriters"},
};
INSTANTIATE_TEST_SUITE_P(Everyday, Broken, testing::ValuesIn(kEverydayBroken), name_of);

class Right : public Linearizable {};

TEST_P(Right, IsSilent) {
  const std::string limit =
      long_or_short(1, 0) ? "" : " -n " + std::to_string(GetParam().schedules);
  const Result silent = run_test("60s", 1, limit);
  EXPECT_EQ(silent.exit_code, 0) << silent;
  EXPECT_THAT(silent.out, AllOf(HasSubstr("no failure in"), Not(HasSubstr("too many orders"))));
}

constexpr Structure kRight[] = {
    {"treiber", "Leaking"},
    {"treiber", "Tagged"},
    {"queues", "Locked"},
    {"queues", "MichaelScott"},
    {"queues", "VyukovOfOne"},
    {"queues", "RingOfOneEach"},
    {"queues", "Blocking"},
    {"queues", "Patient"},
    {"queues", "SkipsMany"},
    {"others", "Lazy"},
    {"others", "DoubleCollect"},
    {"others", "CountsAtOnce"},
    {"others", "Striped"},
    {"others", "StripedWeakSize"},
    {"others", "CacheLooksAgain"},
    {"others", "TwinsInside"},
    {"others", "StandardLatch"},
    {"progress", "PoliteObstructionFree"},
    {"progress", "RetryingLockFree"},
    {"progress", "AtomicWaitFree", 4, 200},
    {"progress", "StackLockFree"},
    {"progress", "LongButLockFree", 4, 10},
};
INSTANTIATE_TEST_SUITE_P(All, Right, testing::ValuesIn(kRight), name_of);

constexpr Structure kEverydayRight[] = {
    {"everyday", "RingLocked"},         {"everyday", "LruOneLock"},
    {"everyday", "SetMovesAtOnce"},     {"everyday", "ShardsWeakly"},
    {"everyday", "ClosesUnderLock"},    {"everyday", "PoolTakesAtOnce"},
    {"everyday", "LimiterTakesAtOnce"}, {"everyday", "MapOneWriter"},
};
INSTANTIATE_TEST_SUITE_P(Everyday, Right, testing::ValuesIn(kEverydayRight), name_of);

// The test is right, and its report says whose mistake it is.
TEST(LibraryMistake, OfOperationsIsSaidToBeTheLibrarys) {
#if _GLIBCXX_RELEASE != 12
  GTEST_SKIP() << "this semaphore is another library's";
#endif
  const TempDir dir;
  const Result found = run({program("gcc", "linearizable/others"), "StandardSemaphore"},
                           {.env = {{"JOSTLE_FUZZ_FOR", "20s"}, {"JOSTLE_OPTIONS", "--seed=1"}},
                            .cwd = dir.path(),
                            .time_limit = 60});
  EXPECT_THAT(found.out, AllOf(HasSubstr("use() waits for ever"),
                               HasSubstr("std::counting_semaphore::acquire should have returned")))
      << found;
}

// It holds when all operations are done, but not between two of them: that is looked at, too.
TEST(Invariant, HoldsWheneverNoOperationIsRunning) {
  const TempDir dir;
  const Result found = run({program("gcc", "linearizable/others"), "TwinsAtTheEnd"},
                           {.env = {{"JOSTLE_OPTIONS", "--quiet --seed=1"}}, .cwd = dir.path()});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("the invariant does not hold, and no operation is running"));
}

// ---- promises of progress -----------------------------------------------------------------------

struct BrokenPromise : Structure {
  const char* verdict;
  const char* why;
};

class Promises : public testing::TestWithParam<BrokenPromise> {
 protected:
  TempDir dir_;
};

TEST_P(Promises, ThatAreBrokenAreFoundAndReplay) {
  const BrokenPromise& broken = GetParam();
  const Result found =
      run({program("gcc", std::string("linearizable/") + broken.program), broken.test},
          {.env = {{"JOSTLE_FUZZ_FOR", "20s"}, {"JOSTLE_OPTIONS", "--quiet --seed=1"}},
           .cwd = dir_.path(),
           .time_limit = 120});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, AllOf(HasSubstr(broken.verdict), HasSubstr(broken.why),
                               HasSubstr("does not return")));
  const std::string file = recording_in(dir_.path());
  const Result again = jostle({"replay", "--format", "json", file}, {.cwd = dir_.path()});
  EXPECT_EQ(again.exit_code, 77) << again;
  const auto json = nlohmann::json::parse(again.out, nullptr, false);
  ASSERT_TRUE(json.is_object() && json["findings"].size() == 1) << again;
  EXPECT_EQ(json["findings"][0]["verdict"], broken.verdict);
  EXPECT_TRUE(json["findings"][0]["history"].contains("progress")) << again;
  EXPECT_LE(json["findings"][0]["history"]["operations"].size(), 4u) << found;
}

constexpr BrokenPromise kBrokenPromises[] = {
    {{"progress", "LockInside"}, "NOT LOCK-FREE", "held by"},
    {{"progress", "SpinInside"}, "NOT OBSTRUCTION-FREE", "is stopped"},
    {{"progress", "PatientInside"}, "NOT LOCK-FREE", "is stopped"},
    {{"progress", "PoliteLockFree"}, "NOT LOCK-FREE", "which took turns"},
    {{"progress", "RetryingWaitFree"}, "NOT WAIT-FREE", "it may take 100 steps"},
};
INSTANTIATE_TEST_SUITE_P(All, Promises, testing::ValuesIn(kBrokenPromises),
                         [](const testing::TestParamInfo<BrokenPromise>& info) {
                           return std::string(info.param.test);
                         });

// ---- examples and frameworks --------------------------------------------------------------------

TEST(LinearizableExamples, SayWhatTheyShow) {
  const TempDir dir;
  const auto run_example = [&](const std::string& name, bool uses_gtest,
                               const std::string& seconds) {
    std::vector<std::string> words = {"c++",
                                      "-g",
                                      long_or_short(1, 0) ? "-O1" : "-O0",
                                      "-std=c++20",
                                      std::string(JOSTLE_SOURCE_DIR) + "/examples/" + name + ".cc",
                                      "-o",
                                      dir.file(name)};
    if (uses_gtest) words.insert(words.end(), {"-lgtest", "-lgtest_main"});
    const Result built = jostle(words, {.time_limit = 120});
    EXPECT_TRUE(built.ok()) << built;
    return run(
        {dir.file(name)},
        {.env = {{"JOSTLE_FUZZ_FOR", seconds}, {"JOSTLE_OPTIONS", "--quiet"}}, .cwd = dir.path()});
  };
  const Result cache = run_example("lru_cache_test", false, "10s");
  EXPECT_EQ(cache.exit_code, 77) << cache;
  EXPECT_THAT(cache.out, AllOf(HasSubstr("get_or_add("), HasSubstr("(here: ")));
  const Result pool = run_example("thread_pool_test", false, "1s");
  EXPECT_EQ(pool.exit_code, 0) << pool;
  const Result queue = run_example("blocking_queue_test", true, "1s");
  EXPECT_EQ(queue.exit_code, 0) << queue;
  EXPECT_THAT(queue.out, HasSubstr("[       OK ] Linearizable.Queue")) << queue;
}

// ---- all scenarios of a size --------------------------------------------------------------------

class AllScenarios : public testing::Test {
 protected:
  Result all(const std::string& name, const std::string& test, const std::string& size,
             const std::vector<std::string>& more = {}, const std::string& compiler = "gcc") {
    std::vector<std::string> words = {program(compiler, "linearizable/" + name), "--all", size};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(test);
    return run(words, {.cwd = dir_.path(), .time_limit = 300});
  }
  TempDir dir_;
};

TEST_F(AllScenarios, AreVerified) {
  // push(0), push(1), push(2) or pop: four times, or twice.
  const bool four = long_or_short(4, 2) == 4;
  const Result treiber = all("treiber", "Leaking", four ? "2x2" : "2x1");
  EXPECT_EQ(treiber.exit_code, 0) << treiber;
  EXPECT_THAT(treiber.out, HasSubstr(four ? "linearizable: all 256 scenarios of 2 threads x 2"
                                          : "linearizable: all 16 scenarios of 2 threads x 1"));
}

TEST_F(AllScenarios, OfWhatIsBrokenFail) {
  const Result counter = all("others", "CountsTwice", "2x1");
  EXPECT_EQ(counter.exit_code, 77) << counter;
}

// Options are those of the command.
TEST_F(AllScenarios, AreVerifiedUnderWeakMemory) {
  EXPECT_EQ(all("treiber", "RelaxedMail", "2x2").exit_code, 0);
  const Result relaxed = all("treiber", "RelaxedMail", "2x2", {"--memory=c11", "-t", "60s"});
  EXPECT_EQ(relaxed.exit_code, 77) << relaxed;
  EXPECT_THAT(relaxed.out, HasSubstr("Needs weak memory")) << relaxed;
  for (const std::string& compiler : instrumented_flavours()) {
    const Result ordered = all("treiber", "Mail", "2x2", {"--memory=c11"}, compiler);
    EXPECT_EQ(ordered.exit_code, 0) << compiler << ordered;
    EXPECT_THAT(ordered.out, HasSubstr("all 12 scenarios of 2 threads x 2 operations, 668 "));
  }
  EXPECT_EQ(all("treiber", "Mail", "2x2", {"--no-such-option"}).exit_code, 2);
}

TEST(LinearizableFormats, HaveTheTable) {
  const TempDir dir;
  run({program("gcc", "linearizable/queues"), "Hasty"},
      {.env = {{"JOSTLE_FUZZ_FOR", "10s"}, {"JOSTLE_OPTIONS", "--quiet --format=junit -o found"}},
       .cwd = dir.path()});
  EXPECT_THAT(read_file(dir.path() / "found/Hasty/junit.xml"),
              AllOf(HasSubstr("what was called side by side"), HasSubstr("nearest")));
}

// Ctrl-C comes to the program, and to the command that searches for it.
TEST_F(AllScenarios, SayHowFarTheyGotWhenInterrupted) {
  for (const char* signal : {"INT", "TERM"}) {
    const Result stopped = run({"timeout", "--preserve-status", "-s", signal, "1",
                                program("gcc", "linearizable/treiber"), "--all", "2x2", "Tagged"},
                               {.cwd = dir_.path()});
    EXPECT_EQ(stopped.exit_code, std::string(signal) == "INT" ? 130 : 143) << stopped;
    EXPECT_THAT(stopped.err, HasSubstr("Tagged: interrupted after ")) << stopped;
    EXPECT_THAT(stopped.err, Not(HasSubstr("cannot"))) << stopped;
  }
}

TEST_F(AllScenarios, WantASize) {
  for (const char* size : {"2", "x", "0x2", "9x9"}) {
    const Result refused = all("treiber", "Tagged", size);
    EXPECT_NE(refused.exit_code, 0) << refused;
    EXPECT_THAT(refused.err, HasSubstr("like 2x2")) << refused;
  }
}

// Not deep inside of the standard library.
TEST(LinearizableTests, MistakesAreNamedByTheCompiler) {
  const TempDir folder;
  const std::string path = folder.file("mistakes.cc");
  std::ofstream(path) << R"(
#include <jostle/linearizable.hpp>
struct Set {
  explicit Set(int size);
  void add(int key);
};
JOSTLE_LINEARIZABLE(Mistakes) {
  auto set = share<Set>();
  operation("add", gen::range(1, 3), [=] { set->add(1); });
}
)";
  const Result result = jostle({"c++", "-std=c++20", "-fsyntax-only", path});
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(result.err, HasSubstr("T cannot be made of these arguments"));
  EXPECT_THAT(result.err, HasSubstr("is called with what the generators before it draw"));
}

}  // namespace
}  // namespace jostle::test
