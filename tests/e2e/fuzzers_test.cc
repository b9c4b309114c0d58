// SPDX-License-Identifier: Apache-2.0
// Jostle under other fuzzers: control inside the process, without the command; libFuzzer and AFL++
// with real harnesses; their artifacts as reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

// ---- jostle_run in a program of its own

Result control(const std::string& name) { return run({program("gcc", "embedded/control"), name}); }

class EmbeddedTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, EmbeddedTest,
                         testing::Values("orders", "ends", "forks", "bystander", "locals", "memory",
                                         "left_behind", "exceptions"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(EmbeddedTest, Holds) {
  const Result result = control(GetParam());
  EXPECT_TRUE(result.ok()) << result;
}

TEST(Embedded, OrdersAreTheSameInEveryProcess) {
  const std::string first = control("orders").out;
  EXPECT_EQ(first.size(), 5 * 13u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(control("orders").out, first);
}

// Each process has another layout of its address space.
TEST(Embedded, CoverageIsTheSameInEveryProcess) {
  const std::string first = control("coverage").out;
  ASSERT_FALSE(first.empty());
  for (int i = 1; i < long_or_short(1000, 40); ++i) ASSERT_EQ(control("coverage").out, first) << i;
}

TEST(Embedded, UnjoinedThreadsAreMentionedOnce) {
  const std::string err = control("left_behind").err;
  EXPECT_THAT(err, HasSubstr("1 thread was never joined nor detached (said once)"));
  EXPECT_EQ(err.find("never"), err.rfind("never"));
}

struct Failing {
  const char* name;
  int signal;
  const char* text;
};
class EmbeddedFailure : public testing::TestWithParam<Failing> {};
INSTANTIATE_TEST_SUITE_P(
    All, EmbeddedFailure,
    testing::Values(Failing{"deadlock", SIGABRT, "jostle: deadlock in thread T"},
                    Failing{"race", SIGABRT, "jostle: data race in thread T2"},
                    Failing{"use_after_free", SIGABRT, "use after free: write of 4 bytes"},
                    Failing{"endless", SIGABRT, "the run does not come to an end"},
                    Failing{"nested", SIGABRT, "jostle_run() was called from inside jostle_run()"},
                    Failing{"no_strategy", SIGABRT, "there is no such strategy"},
                    Failing{"crash", SIGSEGV, "jostle: Segmentation fault in thread T1"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(EmbeddedFailure, IsToldAndAborts) {
  const Result result = control(GetParam().name);
  EXPECT_EQ(result.signal, GetParam().signal) << result;
  EXPECT_THAT(result.err, HasSubstr(GetParam().text));
}

TEST(Embedded, DeadlocksSayWhoHoldsWhat) {
  EXPECT_THAT(control("deadlock").err,
              AllOf(HasSubstr("T1 waits in lock at control+0x"), HasSubstr(", for T2, holds 0x")));
}

TEST(Embedded, ExitIsTheProgramsOwn) { EXPECT_EQ(control("exit").exit_code, 5); }

// ---- harnesses

std::string source(const std::string& name) {
  return std::string(JOSTLE_SOURCE_DIR) + "/tests/e2e/harnesses/" + name;
}

class Harness : public testing::Test {
 protected:
  // Compiles with `jostle cc` around this compiler.
  Result build(const std::string& compiler, const std::string& name, const std::string& output,
               Words more = {}) {
    const bool c = name.ends_with(".c");
    Words words = {c ? "cc" : "c++",
                   "-g",
                   "-O1",
                   "-I" + std::string(JOSTLE_SOURCE_DIR),
                   "-I" + std::string(JOSTLE_SOURCE_DIR) + "/include",
                   source(name),
                   "-o",
                   dir_.file(output)};
    words.insert(words.end(), more.begin(), more.end());
    return jostle(words, {.env = {{c ? "JOSTLE_CC" : "JOSTLE_CXX", compiler}, {"AFL_QUIET", "1"}},
                          .cwd = dir_.path(),
                          .time_limit = 120});
  }

  // The one file in the folder whose name begins so; empty: none.
  std::string file_of(const fs::path& folder, const std::string& prefix) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().filename().string().starts_with(prefix)) return entry.path();
    }
    return {};
  }

  TempDir dir_;
};

class LibFuzzer : public Harness {
 protected:
  void SetUp() override {
#ifdef JOSTLE_TEST_CLANG
    dir_.write("trial.c", "int LLVMFuzzerTestOneInput(const char* d, long n) { return 0; }\n");
    if (run({JOSTLE_TEST_CLANG, "-fsanitize=fuzzer", "trial.c", "-o", "trial"},
            {.cwd = dir_.path()})
            .ok()) {
      return;
    }
#endif
    GTEST_SKIP() << "no clang with libFuzzer (Debian: clang, libclang-rt-dev)";
  }

#ifdef JOSTLE_TEST_CLANG
  void build_harness(const std::string& name) {
    const bool c = name.ends_with(".c");
    const Result built =
        build(c ? JOSTLE_TEST_CLANG : JOSTLE_TEST_CLANGXX, name, "harness", {"-fsanitize=fuzzer"});
    ASSERT_TRUE(built.ok()) << built;
  }
#endif

  Result fuzz(int seed, Words more = {}) {
    Words words = {"./harness", "-seed=" + std::to_string(seed), "-max_total_time=10",
                   "-artifact_prefix=found-" + std::to_string(seed) + "-"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, {.cwd = dir_.path()});
  }
};

#ifdef JOSTLE_TEST_CLANG

// The bar: with our mutator and our coverage, every one of ten seeds finds it within ten seconds.
class LibFuzzerSubject : public LibFuzzer, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, LibFuzzerSubject, testing::Values("interleave", "checkpoints"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(LibFuzzerSubject, IsSolvedWithEverySeed) {
  build_harness(std::string(GetParam()) + ".c");
  if (HasFatalFailure()) return;
  const int seeds = long_or_short(10, 2);
  for (int seed = 1; seed <= seeds; ++seed) {
    const Result found = fuzz(seed);
    EXPECT_THAT(found.err, HasSubstr("jostle: assertion failed in thread T")) << seed;
    const std::string artifact = file_of(dir_.path(), "found-" + std::to_string(seed) + "-crash");
    ASSERT_FALSE(artifact.empty()) << found;
    // Alone, in a new process: the same.
    const Result again = run({"./harness", artifact}, {.cwd = dir_.path()});
    EXPECT_THAT(again.err, HasSubstr("jostle: assertion failed in thread T")) << again;
  }
}

TEST_P(LibFuzzerSubject, SavesWhatTheCommandReports) {
  build_harness(std::string(GetParam()) + ".c");
  if (HasFatalFailure()) return;
  fuzz(1);
  const std::string artifact = file_of(dir_.path(), "found-1-crash");
  const Result report =
      jostle({"replay", "--harness", "./harness", artifact}, {.cwd = dir_.path()});
  EXPECT_EQ(report.exit_code, 77) << report;
  EXPECT_THAT(report.err, AllOf(HasSubstr("FAILED: assertion"), HasSubstr("the interleaving"),
                                HasSubstr(std::string(GetParam()) + ".c:")));
  dir_.write("empty", "");
  const Result harmless =
      jostle({"replay", "--harness", "./harness", "empty"}, {.cwd = dir_.path()});
  EXPECT_EQ(harmless.exit_code, 79) << harmless;
  EXPECT_THAT(harmless.err, HasSubstr("empty: the harness does not fail"));
  EXPECT_EQ(jostle({"replay", "--harness", "./harness", "nowhere"}, {.cwd = dir_.path()}).exit_code,
            2);
}

TEST_F(LibFuzzer, FindsInputAndScheduleTogether) {
  build_harness("deposits.cc");
  if (HasFatalFailure()) return;
  const Result found = fuzz(1, {"-max_total_time=30"});
  EXPECT_THAT(found.err, HasSubstr("jostle: Aborted in thread T0")) << found;
  const std::string artifact = file_of(dir_.path(), "found-1-crash");
  EXPECT_THAT(read_file(artifact), AllOf(testing::StartsWith("PAY "), testing::EndsWith("JS")));
  const Result saved = jostle(
      {"replay", "--harness", "./harness", artifact, "--format", "json", "--output", "report.json"},
      {.cwd = dir_.path()});
  EXPECT_EQ(saved.exit_code, 77) << saved;
  EXPECT_THAT(read_file(dir_.path() / "report.json"), HasSubstr("deposits.cc"));
}

// A corpus from before: its files are inputs, with the plain schedule.
TEST_F(LibFuzzer, TakesPlainInputs) {
  build_harness("deposits.cc");
  if (HasFatalFailure()) return;
  dir_.write("corpus/old", "PAY 12");
  EXPECT_TRUE(run({"./harness", "corpus/old"}, {.cwd = dir_.path()}).ok());
  const Result found = fuzz(2, {"corpus"});
  EXPECT_THAT(found.err, HasSubstr("jostle: Aborted in thread T0")) << found;
}

TEST_F(LibFuzzer, HarnessRunsWithoutJostle) {
  const Result built =
      run({JOSTLE_TEST_CLANGXX, "-g", "-fsanitize=fuzzer", "-pthread",
           "-I" JOSTLE_SOURCE_DIR "/include", source("deposits.cc"), "-o", dir_.file("plain")});
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_TRUE(run({dir_.file("plain"), "-runs=100"}, {.cwd = dir_.path()}).ok());
}

#endif

// ---- AFL++

class Afl : public Harness {
 protected:
  void SetUp() override {
    if (!run({"sh", "-c", "command -v afl-fuzz && command -v afl-clang-fast"}).ok()) {
      GTEST_SKIP() << "no AFL++ (Debian: afl++)";
    }
    dir_.write("seeds/plain", std::string(4, '\0'));
  }

  Result fuzz(Words command, bool only_schedule = true) {
    Words words = {"afl-fuzz", "-i", "seeds", "-o", "out", "-s", "1", "-V", "60", "--"};
    words.insert(words.end(), command.begin(), command.end());
    return run(
        words,
        {.env = {{"AFL_CUSTOM_MUTATOR_LIBRARY", JOSTLE_BUILD_DIR "/lib/jostle/libjostle_afl.so"},
                 {"AFL_CUSTOM_MUTATOR_ONLY", "1"},
                 {"JOSTLE_FUZZER_NO_INPUT",
                  only_schedule ? std::optional<std::string>("1") : std::nullopt},
                 {"AFL_BENCH_UNTIL_CRASH", "1"},
                 {"AFL_SKIP_CPUFREQ", "1"},
                 {"AFL_NO_AFFINITY", "1"},
                 {"AFL_NO_UI", "1"},
                 {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"}},
         .cwd = dir_.path(),
         .time_limit = 120});
  }

  std::string crash() { return file_of(dir_.path() / "out" / "default" / "crashes", "id:"); }
};

// The driver's loop in one process.
TEST_F(Afl, FindsASchedulePersistently) {
  const Result built = build("afl-clang-fast", "interleave.c", "harness", {"-fsanitize=fuzzer"});
  ASSERT_TRUE(built.ok()) << built;
  const Result found = fuzz({"./harness"});
  ASSERT_FALSE(crash().empty()) << found;
  EXPECT_THAT(read_file(dir_.path() / "out" / "default" / "fuzzer_stats"),
              HasSubstr("stability         : 100.00%"));
  const Result report = jostle({"replay", "--harness", "./harness", crash()}, {.cwd = dir_.path()});
  EXPECT_EQ(report.exit_code, 77) << report;
  EXPECT_THAT(report.err, HasSubstr("FAILED: assertion"));
}

// A process per input.
TEST_F(Afl, FindsInputAndScheduleInForks) {
  const Result built = build("afl-clang-fast++", "deposits.cc", "harness", {"-DHARNESS_HAS_MAIN"});
  ASSERT_TRUE(built.ok()) << built;
  dir_.write("seeds/plain", "PAY 00");
  const Result found = fuzz({"./harness", "@@"}, false);
  ASSERT_FALSE(crash().empty()) << found;
  const Result report = jostle({"replay", "--harness", "./harness", crash()}, {.cwd = dir_.path()});
  EXPECT_EQ(report.exit_code, 77) << report;
  EXPECT_THAT(report.err, HasSubstr("ABORTED"));
}

}  // namespace
}  // namespace jostle::test
