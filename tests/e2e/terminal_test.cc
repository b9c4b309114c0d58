// SPDX-License-Identifier: Apache-2.0
// What a person sees on a terminal: nothing wider than it, nothing longer than a screen or two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "src/report/words/text.h"
#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr int kFound = 77;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// These are copied, and stay whole whatever it takes.
bool is_to_copy(const std::string& line) {
  return line.starts_with("  replay ") || line.starts_with("  report ") ||
         line.starts_with("  stacks: ");
}

void expect_fits(const std::string& text, size_t columns) {
  for (const std::string& line : lines_of(text)) {
    EXPECT_TRUE(is_to_copy(line) || report::width(line) <= columns) << columns << ": " << line;
  }
}

class Terminal : public testing::Test {
 protected:
  Result fuzz(const std::string& program, std::vector<std::string> options = {},
              size_t columns = 0) {
    fs::remove_all(folder_.path() / "jostle-out");
    std::vector<std::string> words = {"fuzz", "--seed", "1", "-t", "20s"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", program});
    RunOptions how;
    how.cwd = folder_.path();
    how.env["COLUMNS"] = columns == 0 ? std::nullopt : std::optional(std::to_string(columns));
    return jostle(words, how);
  }
  fs::path only_finding() const {
    for (const auto& program : fs::directory_iterator(folder_.path() / "jostle-out")) {
      for (const auto& entry : fs::directory_iterator(program)) {
        if (is_finding(entry)) return entry.path();
      }
    }
    return {};
  }

  TempDir folder_;
};

// The program prints what the command has made.
TEST_F(Terminal, IsAsWideForAChecksReport) {
  const Result found = run(
      {program("gcc", "linearizable/others"), "CacheUpgrades"},
      {.env = {{"COLUMNS", "60"}, {"JOSTLE_OPTIONS", "--quiet --seed=1"}}, .cwd = folder_.path()});
  ASSERT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(found.out, HasSubstr("NOT LINEARIZABLE")) << found;
  expect_fits(found.out, 60);
}

TEST_F(Terminal, NothingIsWiderThanIt) {
  for (const auto& [name, source] :
       {std::pair("update", kLostUpdate), std::pair("deadlock", kDeadlock)}) {
    const std::string program = build(folder_, name, source);
    for (const size_t columns : {40, 60, 80, 120, 160, 200}) {
      const Result result = fuzz(program, {}, columns);
      ASSERT_EQ(result.exit_code, kFound) << result;
      expect_fits(result.out, columns);
      expect_fits(result.err, columns);
      EXPECT_THAT(result.out,
                  ContainsRegex("  replay   jostle replay jostle-out/[^ ]+/replay.json\n"));
    }
  }
}

// Lists of races and the views of a run step by step.
TEST_F(Terminal, ListsUseItsWidth) {
  const std::string racy = program("gcc", "explained/freed_before_the_last_use");
  constexpr const char* kWhole =
      "  Connection.sent of freed_before_the_last_use.cc:14: main wrote "
      "(freed_before_the_last_use.cc:8), T1 lambda in main reads "
      "(freed_before_the_last_use.cc:8)\n";
  EXPECT_THAT(fuzz(racy, {}, 200).out, HasSubstr(kWhole));
  EXPECT_THAT(fuzz(racy, {}, 100).out, Not(HasSubstr(kWhole)));
  for (const size_t columns : {40, 60, 120, 200}) {
    expect_fits(fuzz(racy, {}, columns).out, columns);
    RunOptions how;
    how.cwd = folder_.path();
    how.env["COLUMNS"] = std::to_string(columns);
    how.input = "locks\nq\n";
    const Result steps = jostle({"step", "--", racy}, how);
    EXPECT_THAT(steps.out, HasSubstr("main")) << steps;
    expect_fits(steps.out, columns);
  }
}

// Callbacks with their places: as much as there is room for.
TEST_F(Terminal, ListsOfCallbacksUseItsWidth) {
  const std::string loop = JOSTLE_BUILD_DIR "/subjects/bank_log";
  if (!fs::exists(loop)) GTEST_SKIP() << "not built (no event library?)";
  constexpr const char* kWhole = "balance_read (bank_log.c:60, descriptor ";
  for (const size_t columns : {60, 80, 160}) {
    const Result result = fuzz(loop, {}, columns);
    ASSERT_EQ(result.exit_code, kFound) << result;
    EXPECT_THAT(result.out, HasSubstr("the callbacks")) << result;
    expect_fits(result.out, columns);
    EXPECT_EQ(result.out.find(kWhole) != std::string::npos, columns > 70) << result;
  }
}

TEST_F(Terminal, FilesKeepTheirForm) {
  const std::string program = build(folder_, "deadlock", kDeadlock);
  std::string texts[2];
  for (const size_t columns : {0, 60}) {
    const Result result = fuzz(program, {}, columns);
    ASSERT_EQ(result.exit_code, kFound) << result;
    texts[columns == 0] = read_file(only_finding() / "report.txt");
  }
  EXPECT_FALSE(texts[0].empty());
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(Terminal, IsAskedHowWideItIs) {
  const std::string program = build(folder_, "deadlock", kDeadlock);
  if (!run({"sh", "-c", "command -v script stty"}).ok()) GTEST_SKIP() << "no script or stty";
  const std::string command = "stty cols 60; " + jostle_bin() + " fuzz -q --seed 1 -- " + program +
                              " | cat >/dev/null; " + jostle_bin() + " fuzz -q --seed 1 -- " +
                              program;
  RunOptions how;
  how.cwd = folder_.path();
  how.env = {{"COLUMNS", std::nullopt}, {"NO_COLOR", "1"}};
  const Result result = run({"script", "-qec", command, "/dev/null"}, how);
  std::string out = result.out;
  std::erase(out, '\r');
  ASSERT_THAT(out, HasSubstr("DEADLOCK after")) << result;
  expect_fits(out, 60);
  // There is no room for a table.
  EXPECT_THAT(out, ContainsRegex("\\* T1 worker\n +waits for mutex log_lock"));
}

constexpr char kSays[] = R"(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int counter;
static void* add(void* unused) { counter++; return unused; }
int main(int argc, char** argv) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  for (int i = 0; i < 12; i++) printf("check %d\n", i);
  if (counter == 2) return 0;
  fprintf(stderr, "\x1b[31mlost an update\n");
  if (argc > 1) abort();
  return 3;
}
)";

TEST_F(Terminal, AFailureByExitStatusShowsTheLastLinesOfTheOutput) {
  const std::string program = build(folder_, "says", kSays);
  const Result result = fuzz(program);
  ASSERT_EQ(result.exit_code, kFound) << result;
  // Standard error was written first: the other is buffered until the end.
  EXPECT_THAT(result.out, HasSubstr("  it said: \\x1b[31mlost an update\n")) << result;
  EXPECT_THAT(result.out, HasSubstr("  the last lines of its output\n    │ check 4\n"));
  EXPECT_THAT(result.out, HasSubstr("    │ check 11\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("│ check 3\n")));
  EXPECT_THAT(read_file(only_finding() / "report.txt"), HasSubstr("    │ check 11\n"));
  EXPECT_THAT(read_file(only_finding() / "report.json"),
              HasSubstr(R"("output_tail": ["check 4","check 5",)"));
}

TEST_F(Terminal, AnAbortShowsWhatWasSaidBefore) {
  const std::string program = build(folder_, "says", kSays);
  fs::remove_all(folder_.path() / "jostle-out");
  RunOptions how;
  how.cwd = folder_.path();
  const Result result = jostle({"fuzz", "--seed", "1", "--", program, "abort"}, how);
  ASSERT_EQ(result.exit_code, kFound) << result;
  EXPECT_THAT(result.out, HasSubstr("  it said: \\x1b[31mlost an update\n"));
}

TEST_F(Terminal, TheLastLineSaysHowManySchedulesFailed) {
  const std::string program = build(folder_, "update", kLostUpdate);
  const Result result = fuzz(program);
  EXPECT_THAT(result.out,
              ContainsRegex("1 failure in [0-9.]+ s: 1 of [0-9]+ schedules failed \\([0-9]+ "
                            "distinct, [0-9]+ by reads-from\\)\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("violated")));
  const Result fine = fuzz("/bin/true", {"-n", "20"});
  EXPECT_THAT(fine.out, ContainsRegex("no failure in [0-9.]+ s: 20 schedules \\("));
  EXPECT_THAT(fine.out, Not(HasSubstr("failed")));
}

// The order in which four threads come decides with which status it ends.
constexpr char kManyFailures[] = R"(
#include <pthread.h>
#include <stdio.h>
static int order[4], at;
static void* come(void* i) { order[at++ % 4] = (int)(long)i; return i; }
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, come, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  int code = 0;
  for (int i = 0; i < 4; i++) code = code * 4 + order[i];
  return code % 60 + 1;
}
)";

TEST_F(Terminal, ManyFailuresAreATable) {
  const std::string program = build(folder_, "many", kManyFailures);
  const Result result = fuzz(program, {"-k", "-n", "400", "--minimize", "off"}, 120);
  ASSERT_EQ(result.exit_code, kFound) << result;
  size_t in_full = 0, rows = 0, folders = 0;
  for (const std::string& line : lines_of(result.out)) {
    in_full += line.starts_with("FAILED after") ? 1 : 0;
    rows += line.starts_with("  exit ") ? 1 : 0;
  }
  for (const auto& entry : fs::directory_iterator(folder_.path() / "jostle-out/many")) {
    folders += is_finding(entry) ? 1 : 0;
    if (is_finding(entry)) {
      EXPECT_THAT(result.out, HasSubstr(entry.path().filename().string())) << result;
    }
  }
  EXPECT_EQ(in_full, 5u);
  EXPECT_GT(rows, 5u) << result;
  EXPECT_EQ(in_full + rows, folders);
  EXPECT_LE(lines_of(result.out).size(), 5 * 62 + rows + 10);
  expect_fits(result.out, 120);
}

struct Long {
  const char* name;
  const char* source;
  const char* says;
};

const Long kLong[] = {
    {"philosophers", R"(
#include <pthread.h>

#include <mutex>
#include <thread>
#include <vector>
static std::mutex forks[64];
static pthread_barrier_t all;
static void dine(int i) {
  std::lock_guard left(forks[i]);
  pthread_barrier_wait(&all);
  std::lock_guard right(forks[(i + 1) % 64]);
}
int main() {
  pthread_barrier_init(&all, nullptr, 64);
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) threads.emplace_back(dine, i);
  for (auto& thread : threads) thread.join();
}
)",
     " threads more\n"},
    {"recursion", R"(
#include <cassert>
#include <thread>
static int balance = 100;
__attribute__((noinline)) static int descend(int depth, int seen) {
  if (depth == 0) {
    assert(balance == seen);
    return 0;
  }
  const int result = descend(depth - 1, seen);
  __asm__ volatile("");
  return result + 1;
}
int main() {
  std::thread audit([] { descend(500, balance); });
  std::thread spend([] { balance -= 50; });
  audit.join();
  spend.join();
}
)",
     "the same over and over\n"},
    {"turns", R"(
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> turns, last{-1};
static void work(int me) {
  for (int i = 0; i < 600; ++i) {
    if (last.exchange(me) != me) turns++;
  }
}
int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  assert(turns < 200);
}
)",
     " steps, "},
};

TEST_F(Terminal, OneFailureIsAScreenOrTwoWhateverHappened) {
  for (const Long& one : kLong) {
    const std::string program = build_cxx(folder_, one.name, one.source);
    for (const size_t columns : {0, 60}) {
      const Result result = fuzz(program, {"--minimize", "off"}, columns);
      ASSERT_EQ(result.exit_code, kFound) << result;
      EXPECT_LE(lines_of(result.out).size(), 66u) << result.out;
      EXPECT_THAT(result.out, HasSubstr(one.says));
      expect_fits(result.out, columns == 0 ? report::kColumns : columns);
    }
  }
}

}  // namespace
}  // namespace jostle::test
