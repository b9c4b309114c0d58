// SPDX-License-Identifier: Apache-2.0
// The strategies on real programs: each finds what it can, is repeatable, and does not depend on
// how runs are kept apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// All that find a lost update within a few thousand schedules.
constexpr const char* kSearches[] = {"random",
                                     "random:sticky=2",
                                     "random:delay=4",
                                     "pct:d=2",
                                     "pct:d=3",
                                     "pos",
                                     "urw",
                                     "surw",
                                     "delay:b=2",
                                     "ql",
                                     "systematic-first",
                                     "systematic-random",
                                     "preemption-bound",
                                     "delay-bound",
                                     "bytes",
                                     "bytes:end=prng",
                                     "seed",
                                     "mutate",
                                     "rff",
                                     "rff:feedback=off",
                                     "rff:constraints=off",
                                     "portfolio"};
constexpr const char* kExhaustive[] = {"systematic-first", "systematic-random", "preemption-bound",
                                       "delay-bound"};

// One adds, one adds, one checks what it should not see; all under one lock: lazy01 of SCTBench.
constexpr char kLazy[] = R"(
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;
static void* add_one(void* unused) {
  pthread_mutex_lock(&lock);
  data++;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* add_two(void* unused) {
  pthread_mutex_lock(&lock);
  data += 2;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* check(void* unused) {
  pthread_mutex_lock(&lock);
  assert(data < 3);
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, add_one, 0);
  pthread_create(&b, 0, add_two, 0);
  pthread_create(&c, 0, check, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
)";

class Strategies : public testing::Test {
 protected:
  json fuzz(const std::string& program, std::vector<std::string> more) {
    std::vector<std::string> words = {"fuzz", "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(program);
    const Result result = jostle(words, {.cwd = folder_.path()});
    json stats = json::parse(result.out, nullptr, false);
    EXPECT_TRUE(stats.is_object()) << result;
    return stats;
  }
  TempDir folder_;
};

TEST_F(Strategies, AreListedWithTheirParameters) {
  const Result list = jostle({"strategies"});
  EXPECT_TRUE(list.ok()) << list;
  EXPECT_THAT(list.out, HasSubstr("pct                 random priorities"));
  EXPECT_THAT(list.out, HasSubstr("  d (usually 3): depth"));
}

TEST_F(Strategies, MistakesAreNamed) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const auto wrong = [&](const std::string& strategy) {
    const Result result = jostle({"fuzz", "--strategy", strategy, program});
    EXPECT_EQ(result.exit_code, 2) << result;
    return result.err;
  };
  EXPECT_THAT(wrong("pxt"), HasSubstr("no strategy `pxt': did you mean pct?"));
  EXPECT_THAT(wrong("random:stiky=3"), HasSubstr("did you mean sticky?"));
  EXPECT_THAT(wrong("pos:d=3"), HasSubstr("no parameter of pos `d' (it has none)"));
  EXPECT_THAT(wrong("pct:d=x"), HasSubstr("expected a whole number for d of pct, not `x'"));
  EXPECT_THAT(wrong("pct:d=0"), HasSubstr("d of pct is from 1 to 1000, not 0"));
  EXPECT_THAT(wrong("bytes:end=lop"),
              HasSubstr("expected one of zeros, loop, stop, prng for end of bytes, not `lop'"));
  EXPECT_THAT(wrong("replay"), HasSubstr("--strategy replay needs --from FILE"));
}

TEST_F(Strategies, FindALostUpdate) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  for (const char* strategy : kSearches) {
    const json stats = fuzz(program, {"--strategy", strategy, "--seed", "1", "-n", "5000"});
    EXPECT_EQ(stats["failures_by_kind"]["assert"], 1) << strategy << stats;
    EXPECT_EQ(stats["strategy"], strategy);
  }
}

TEST_F(Strategies, NeedPreemptionForIt) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  EXPECT_EQ(fuzz(program, {"--strategy", "none", "-n", "200"})["exit_code"], 0);
  EXPECT_EQ(fuzz(program, {"--strategy", "delay:b=0", "-n", "200"})["exit_code"], 0);
}

// What a strategy has learned from earlier runs must be the same whoever ran them.
TEST_F(Strategies, DoTheSameWithAndWithoutAProcessPerRun) {
  // To explain a failure takes longer than all runs.
  std::string source = kLostUpdate;
  if (long_or_short(0, 1) == 1)
    source.erase(source.find("  assert("), sizeof "  assert(counter == 2);");
  const std::string program = build(folder_, "lost", source);
  for (const char* strategy : kSearches) {
    const auto digest = [&](const char* executor) {
      return fuzz(program, {"--strategy", strategy, "--seed", "3", "-n", "60", "--keep-going",
                            "--executor", executor})["traces_digest"];
    };
    const json rewound = digest("snapshot");
    EXPECT_EQ(rewound, digest("fork")) << strategy;
    EXPECT_EQ(rewound, digest("snapshot")) << strategy << ", again";
  }
}

// ---- all schedules there are --------------------------------------------------------------------

TEST_F(Strategies, ExploreADeadlockCompletely) {
  const std::string program = build(folder_, "deadlock", kDeadlock);
  // What a random walk sees in the end, after many more runs than there are schedules.
  const json random =
      fuzz(program, {"--strategy", "random", "--seed", "1", "-n", "60000", "--keep-going"});
  for (const char* strategy : kExhaustive) {
    const json stats = fuzz(program, {"--strategy", strategy, "--keep-going"});
    EXPECT_EQ(stats["stopped"], "exhausted") << strategy << stats;
    EXPECT_EQ(stats["exhausted"], true) << strategy;
    EXPECT_EQ(stats["explored"], random["unique_traces"]) << strategy;
    EXPECT_EQ(stats["unique_traces"], random["unique_traces"]) << strategy;
    EXPECT_EQ(stats["unexplored"], 0) << strategy;
    EXPECT_EQ(stats["failures_by_kind"]["deadlock"], 1) << strategy;
    EXPECT_EQ(stats["exit_code"], 77) << strategy;
  }
  EXPECT_EQ(random["exhausted"], false);
  EXPECT_EQ(random["exhaustive_bound"], nullptr);
}

TEST_F(Strategies, ExploreAnAssertionCompletely) {
  const std::string program = build(folder_, "lazy", kLazy);
  const json first = fuzz(program, {"--strategy", "systematic-first", "--keep-going"});
  EXPECT_EQ(first["exhausted"], true) << first;
  EXPECT_EQ(first["failures_by_kind"]["assert"], 1);
  const json shuffled = fuzz(program, {"--strategy", "systematic-random", "--keep-going"});
  EXPECT_EQ(first["explored"], shuffled["explored"]);
  // But for the first runs, which have shown what is shared.
  EXPECT_NEAR(first["failing_schedules"].get<double>(), shuffled["failing_schedules"].get<double>(),
              5);
  EXPECT_GT(first["percent_violated"], 0);
  EXPECT_EQ(first["percent_deadlocked"], 0);
}

TEST_F(Strategies, SayWhenEverythingIsExplored) {
  const std::string program = build(folder_, "fine", R"(
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  work(0);
  pthread_join(a, 0);
  return 0;
}
)");
  const Result all =
      jostle({"fuzz", "--strategy", "systematic-first", program}, {.cwd = folder_.path()});
  EXPECT_EQ(all.exit_code, 0) << all;
  EXPECT_THAT(all.out, testing::ContainsRegex("no failure: all [0-9]+ schedules explored"));
  EXPECT_THAT(all.out, HasSubstr("exhaustive at this granularity"));
  const Result bounded =
      jostle({"fuzz", "--strategy", "preemption-bound:c=1", program}, {.cwd = folder_.path()});
  EXPECT_EQ(bounded.exit_code, 0) << bounded;
  EXPECT_THAT(bounded.out, HasSubstr("within bound 1 explored"));
}

// What a thread works on is mostly made by the one that creates it, and read by the one that joins
// it, while others run: no other order is possible. Three threads with five accesses each would
// have hundreds of thousands.
TEST_F(Strategies, KnowThatMemoryIsHandedOver) {
  const std::string program = build(folder_, "handed_over", R"(
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct work { int rounds, done; };
static void* run(void* argument) {
  struct work* work = argument;
  for (int i = 0; i < work->rounds; ++i) work->done++;
  return work;
}
int main(int argc, char** argv) {
  pthread_t threads[3];
  struct work* last = 0;
  for (int i = 0; i < 3; ++i) {
    last = malloc(sizeof *last);
    *last = (struct work){2, 0};
    if (pthread_create(&threads[i], 0, run, last)) return 1;
  }
  if (argc > 1) last->done++;  // not its own any more
  int done = 0;
  for (int i = 0; i < 3; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    done += ((struct work*)result)->done;
    free(result);
  }
  assert(done == 6 + (argc > 1));
  return 0;
}
)");
  for (const char* executor : {"snapshot", "fork"}) {
    const json right = fuzz(program, {"--strategy", "systematic-first", "--executor", executor});
    EXPECT_EQ(right["exhausted"], true) << right;
    EXPECT_LT(right["explored"], 100);
  }
  const Result wrong =
      jostle({"fuzz", "--strategy", "random", "--seed", "1", "-n", "5000", "--", program, "late"},
             {.cwd = folder_.path()});
  EXPECT_EQ(wrong.exit_code, 77) << wrong;
  EXPECT_THAT(wrong.out, HasSubstr("done")) << "the object in the explanation";
}

TEST_F(Strategies, StopAtTheBoundTheyAreGiven) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  for (const char* none : {"preemption-bound:c=0", "delay-bound:b=0"}) {
    const json stats = fuzz(program, {"--strategy", none});
    EXPECT_EQ(stats["exit_code"], 0) << none << stats;
    EXPECT_EQ(stats["stopped"], "exhausted") << none;
    EXPECT_EQ(stats["exhausted"], false) << none << ": there is more beyond the bound";
    EXPECT_EQ(stats["exhaustive_bound"], 0) << none;
  }
  EXPECT_EQ(fuzz(program, {"--strategy", "preemption-bound:c=1"})["exit_code"], 77);
}

TEST_F(Strategies, DrawTheSchedulingGraph) {
  const std::string program = build(folder_, "deadlock", kDeadlock);
  const std::string dot = folder_.file("graph.dot");
  const json stats =
      fuzz(program, {"--strategy", "systematic-first", "--keep-going", "--graph", dot});
  const std::string text = read_file(dot);
  EXPECT_THAT(text, HasSubstr("digraph schedules"));
  size_t ends = 0;
  for (size_t at = 0; (at = text.find("shape=box", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, stats["explored"]);
  EXPECT_THAT(text, HasSubstr("label=\"deadlock\""));
  EXPECT_THAT(text, HasSubstr("T1: lock deadlock.c:"));
  const Result wrong = jostle({"fuzz", "--strategy", "pos", "--graph", dot, program});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--graph is for strategies that explore all schedules"));
}

// ---- what a strategy begins with ----------------------------------------------------------------

TEST_F(Strategies, FollowARecordedSchedule) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const json found = fuzz(program, {"--strategy", "pos", "--seed", "1", "-n", "5000"});
  const std::string file = folder_.file(found["failures"][0]["replay"].get<std::string>());
  const json replayed =
      fuzz(program, {"--strategy", "replay", "--from", file, "-n", "50", "--keep-going"});
  EXPECT_EQ(replayed["failing_schedules"], 50);
  EXPECT_EQ(replayed["unique_traces"], 1);
  const json mutated = fuzz(program, {"--strategy", "mutate", "--from", file, "--seed", "1", "-n",
                                      "200", "--keep-going"});
  EXPECT_GT(mutated["failing_schedules"], 20);
  EXPECT_GT(mutated["unique_traces"], 5);
  const Result run = jostle({"run", "--strategy", "replay", "--from", file, program});
  EXPECT_EQ(run.exit_code, 134) << run;
}

TEST_F(Strategies, TakeBytes) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const auto failing = [&](const std::string& bytes, const std::string& strategy, const char* n) {
    const std::string file = folder_.write("bytes", bytes);
    return fuzz(program, {"--strategy", strategy, "--from", file, "--seed", "1", "-n", n,
                          "--keep-going"})["failing_schedules"];
  };
  EXPECT_EQ(failing(std::string(20, '\0'), "bytes", "1"), 0) << "zeros: no preemption";
  EXPECT_EQ(failing("", "bytes:length=0", "50"), 0);
  EXPECT_GT(failing(std::string(12, '\0'), "bytes", "200"), 4) << "edits of it preempt";
  const json stats = fuzz(program, {"--strategy", "bytes:end=stop,length=1", "-n", "20"});
  EXPECT_EQ(stats["outcomes"]["stopped"], 20) << stats;
  EXPECT_EQ(stats["exit_code"], 0) << "a run that was ended has not failed";
  const Result missing = jostle({"run", "--strategy", "bytes", "--from", "/no/such", program});
  EXPECT_EQ(missing.exit_code, 2) << missing;
  EXPECT_THAT(missing.err, HasSubstr("No such file"));
  const Result useless = jostle({"run", "--strategy", "pos", "--from", "/no/such", program});
  EXPECT_EQ(useless.exit_code, 2) << useless;
}

// ---- statistics
// -----------------------------------------------------------------------------------

TEST_F(Strategies, CountDataFlows) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const json one = fuzz(program, {"--strategy", "none", "-n", "50", "--keep-going"});
  EXPECT_EQ(one["unique_traces"], 1) << one;
  EXPECT_LE(one["unique_rf_signatures"], 2) << "the first run does not know what is shared";
  const json all = fuzz(program, {"--strategy", "systematic-first", "--keep-going"});
  // Both read the initial value, or one what the other wrote.
  EXPECT_GE(all["unique_rf_signatures"], 2) << all;
  EXPECT_LT(all["unique_rf_signatures"], all["unique_traces"]) << all;
  EXPECT_GT(all["ms_per_schedule"], 0);
}

}  // namespace
}  // namespace jostle::test
