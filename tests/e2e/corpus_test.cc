// SPDX-License-Identifier: Apache-2.0
// The corpus and the workers: what one campaign learns the next one knows, and what one worker
// learns the others do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

// Flags that are set in several steps, and two who look at them: many data flows, no failure.
constexpr char kFlags[] = R"(
#include <pthread.h>
static volatile int a, b, seen;
static void* set(void* unused) {
  a = 1;
  b = 1;
  a = 2;
  b = 2;
  return unused;
}
static void* look(void* unused) {
  seen = a + 2 * b;
  seen = b + 2 * a;
  seen = a;
  return unused;
}
static void* reset(void* unused) {
  b = 0;
  a = seen;
  return unused;
}
int main(void) {
  void* (*const all[])(void*) = {set, look, reset, look};
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, all[i], 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}
)";

class Corpus : public testing::Test {
 protected:
  Result fuzz(const std::string& program, std::vector<std::string> more) {
    std::vector<std::string> words = {"fuzz", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(program);
    return jostle(words, {.cwd = folder_.path()});
  }
  static json stats(const Result& result) {
    json parsed = json::parse(result.out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << result;
    return parsed;
  }
  std::vector<fs::path> files(const std::string& name) const {
    std::vector<fs::path> all;
    const fs::path corpus = folder_.path() / "jostle-out" / name / "corpus";
    if (!fs::exists(corpus)) return all;
    for (const auto& entry : fs::directory_iterator(corpus)) all.push_back(entry.path());
    return all;
  }
  TempDir folder_;
};

// The environment lies above main's frames: what is there has the same name in any.
TEST_F(Corpus, NamesDoNotDependOnTheEnvironment) {
  const std::string program = build(folder_, "stack", R"(
#include <pthread.h>
struct Shared { volatile int a, b, seen; };
static void* set(void* p) { struct Shared* s = p; s->a = 1; s->b = 1; s->a = 2; s->b = s->seen; return 0; }
static void* look(void* p) { struct Shared* s = p; s->seen = s->a + s->b; s->seen = s->b; s->a = s->seen; return 0; }
int main(void) {
  struct Shared shared = {0, 0, 0};
  void* (*const all[])(void*) = {set, look, set, look};
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, all[i], &shared);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}
)");
  std::set<fs::path> names[2];
  for (int i = 0; i < 2; ++i) {
    const std::string variable(i == 0 ? 1 : 3001, 'x');
    const Result result = jostle({"fuzz", "--strategy", "rff", "-n", "300", "--seed", "1", program},
                                 {.env = {{"LENGTH", variable}}, .cwd = folder_.path()});
    EXPECT_EQ(result.exit_code, 0) << result;
    for (const fs::path& file : files("stack")) names[i].insert(file.filename());
    fs::remove_all(folder_.path() / "jostle-out");
  }
  EXPECT_FALSE(names[0].empty());
  EXPECT_EQ(names[0], names[1]);
}

TEST_F(Corpus, IsKeptAndLoadedAgain) {
  const std::string program = build(folder_, "flags", kFlags);
  const Result first = fuzz(program, {"--strategy", "rff", "-n", "400", "--seed", "1"});
  EXPECT_GT(stats(first)["corpus"], 0) << first;
  ASSERT_FALSE(files("flags").empty());
  const std::string text = read_file(files("flags")[0]);
  EXPECT_THAT(text, ContainsRegex("the read of (a|b|seen) at flags.c:1[0-9]"));
  const Result second = fuzz(program, {"--strategy", "rff", "-n", "20"});
  EXPECT_THAT(second.err, ContainsRegex("corpus: [0-9]+ schedules?\n"));
  // To repeat a campaign is to begin as it did.
  const Result repeated = fuzz(program, {"--strategy", "rff", "-n", "20", "--seed", "1"});
  EXPECT_THAT(repeated.err, testing::Not(HasSubstr("corpus:")));
  const Result asked = fuzz(program, {"--strategy", "rff", "-n", "20", "--seed", "1", "--resume"});
  EXPECT_THAT(asked.err, HasSubstr("corpus:"));
  const Result fresh = fuzz(program, {"--strategy", "rff", "-n", "20", "--fresh"});
  EXPECT_THAT(fresh.err, testing::Not(HasSubstr("corpus:")));
}

TEST_F(Corpus, WhatCannotBeUsedIsLeftOut) {
  const std::string program = build(folder_, "flags", kFlags);
  fuzz(program, {"--strategy", "rff", "-n", "400", "--seed", "1"});
  ASSERT_FALSE(files("flags").empty());
  const fs::path corpus = files("flags")[0].parent_path();
  std::ofstream(corpus / "empty.json");
  std::ofstream(corpus / "text.json") << "no json at all \x01\x02";
  std::string cut = read_file(files("flags")[0]);
  std::ofstream(corpus / "cut.json") << cut.substr(0, cut.size() / 2);
  fs::create_directory(corpus / "folder.json");
  const Result damaged = fuzz(program, {"--strategy", "rff", "-n", "20"});
  EXPECT_EQ(damaged.exit_code, 0) << damaged;
  EXPECT_THAT(damaged.err, HasSubstr("left out 4 damaged files"));
  // Another build of the program.
  build(folder_, "flags", std::string(kFlags) + "int more = 1;\n");
  const Result rebuilt = fuzz(program, {"--strategy", "rff", "-n", "20"});
  EXPECT_EQ(rebuilt.exit_code, 0) << rebuilt;
  EXPECT_THAT(rebuilt.err,
              ContainsRegex("corpus: 0 schedules.*left out [0-9]+ files? of another build"));
}

TEST_F(Corpus, IsPruned) {
  const std::string program = build(folder_, "flags", kFlags);
  const Result nothing = jostle({"merge", program}, {.cwd = folder_.path()});
  EXPECT_EQ(nothing.exit_code, 0) << nothing;
  EXPECT_THAT(nothing.out, HasSubstr("nothing to merge"));
  for (const char* seed : {"1", "2", "3", "4"}) {
    fuzz(program, {"--strategy", "rff", "-n", "300", "--seed", seed});
  }
  ASSERT_FALSE(files("flags").empty());
  // One that asks for nothing in particular shows nothing new.
  const fs::path useless = files("flags")[0].parent_path() / "copied.json";
  json file = json::parse(read_file(files("flags")[0]));
  file["constraints"] = {{{"negative", true}, {"location", "1"}, {"write", "2"}, {"read", "3"}}};
  std::ofstream(useless) << file;
  const size_t before = files("flags").size();
  const Result merged = jostle({"merge", program}, {.cwd = folder_.path()});
  EXPECT_EQ(merged.exit_code, 0) << merged;
  EXPECT_THAT(merged.out, ContainsRegex("[0-9]+ schedules? kept, [1-9][0-9]* removed"));
  const size_t after = files("flags").size();
  EXPECT_LT(after, before);
  EXPECT_FALSE(fs::exists(useless)) << "whatever its name";
  const Result again = jostle({"merge", program}, {.cwd = folder_.path()});
  EXPECT_EQ(files("flags").size(), after) << "what is left is needed" << again;
}

TEST_F(Corpus, StatisticsAreThereForOtherTools) {
  const std::string program = build(folder_, "flags", kFlags);
  const json all = stats(fuzz(program, {"--strategy", "rff", "-n", "300", "--seed", "1"}));
  const std::string text = read_file(folder_.path() / "jostle-out/flags/fuzzer_stats");
  EXPECT_THAT(text, ContainsRegex("execs_done +: 300\n"));
  EXPECT_THAT(text, ContainsRegex("saved_crashes +: 0\n"));
  EXPECT_THAT(text, HasSubstr(": " + std::to_string(all["corpus"].get<int>()) + "\n"));
}

// ---- workers ------------------------------------------------------------------------------------

TEST_F(Corpus, WorkersShareTheSchedules) {
  const std::string program = build(folder_, "flags", kFlags);
  const Result result = fuzz(program, {"--strategy", "pos", "-n", "1001", "-j", "3"});
  const json all = stats(result);
  EXPECT_EQ(all["schedules"], 1001) << result;
  EXPECT_EQ(all["workers"], 3);
  EXPECT_THAT(result.err, HasSubstr("· pos · 3 workers · seed"));
  // Every number has its own seed, whoever runs it: the same schedules as one worker would run,
  // but for the first of each, which does not know what is shared.
  const json one = stats(fuzz(program, {"--strategy", "pos", "-n", "1001", "--seed",
                                        std::to_string(all["seed"].get<uint64_t>())}));
  EXPECT_NEAR(one["unique_rf_signatures"].get<double>(), all["unique_rf_signatures"].get<double>(),
              one["unique_rf_signatures"].get<double>() / 2);
}

TEST_F(Corpus, AFailureEndsAllWorkers) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result found = fuzz(program, {"-j", "3", "--time", "60s"});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_LT(found.seconds, 20);
  EXPECT_EQ(stats(found)["failures_by_kind"]["assert"], 1);
  EXPECT_EQ(stats(found)["stopped"], "finding");
  // The replay file knows nothing of workers.
  const std::string file = stats(found)["failures"][0]["replay"];
  EXPECT_EQ(jostle({"replay", file}, {.cwd = folder_.path()}).exit_code, 77);
}

TEST_F(Corpus, WorkersKeepGoingAndAreInterrupted) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result stopped =
      run({"timeout", "--foreground", "-s", "INT", "2", jostle_bin(), "fuzz", "--strategy", "pos",
           "-j", "2", "--keep-going", "--time", "50s", program},
          {.cwd = folder_.path()});
  EXPECT_LT(stopped.seconds, 20) << stopped;
  const json all = json::parse(read_file(folder_.path() / "jostle-out/lost/stats.json"));
  EXPECT_EQ(all["stopped"], "interrupted");
  EXPECT_GT(all["failing_schedules"], 100);
}

TEST_F(Corpus, ANumberOfWorkersIsAsked) {
  const std::string program = build(folder_, "flags", kFlags);
  for (const char* wrong : {"x", "-1", "100000"}) {
    EXPECT_EQ(fuzz(program, {"-j", wrong}).exit_code, 2) << wrong;
  }
  EXPECT_EQ(fuzz(program, {"-j", "0", "-n", "100"}).exit_code, 0) << "one per processor";
}

}  // namespace
}  // namespace jostle::test
