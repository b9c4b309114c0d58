// SPDX-License-Identifier: Apache-2.0
// What is said of failures that need weak memory: that they do, which old store was read, and which
// order is missing. The last is tried, so that it has to be what each program's twin has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Report {
  Result result;
  std::string text = {};    // of the terminal, in one line
  std::string folder = {};  // of the finding
};

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || line.empty() || line.back() != ' ') line += space ? ' ' : c;
  }
  return line;
}

Report report_of(const TempDir& out, const std::string& path, int seed,
                 std::vector<std::string> options = {}) {
  std::vector<std::string> words = {"fuzz",          "--fresh",      "-o",
                                    out.file("out"), "--memory=c11", "-n",
                                    "1000",          "--seed",       std::to_string(seed)};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", path});
  Report report{jostle(words, {.time_limit = 300})};
  report.text = one_line(report.result.out);
  const std::string folder = out.file("out/" + fs::path(path).filename().string());
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (is_finding(entry)) report.folder = entry.path();
  }
  return report;
}

// "seqlock.h:17": the line of the program with this text.
std::string place(const std::string& name, const std::string& text) {
  std::ifstream file(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/weak" / (name + ".h"));
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("#")) continue;
    if (line.find(text) != line.npos) return name + ".h:" + std::to_string(number);
  }
  ADD_FAILURE() << "no " << text << " in " << name;
  return {};
}

// ---- which order is missing ---------------------------------------------------------------------

// `missing` with texts of lines in braces.
struct Missing {
  const char* name;
  std::string missing;
};

void PrintTo(const Missing& missing, std::ostream* to) { *to << missing.name; }

class WeakMissing : public testing::TestWithParam<Missing> {
 protected:
  std::string expected() const {
    std::string text = GetParam().missing;
    for (size_t open; (open = text.find('{')) != text.npos;) {
      const size_t close = text.find('}', open);
      const std::string line = text.substr(open + 1, close - open - 1);
      text.replace(open, close - open + 1, place(GetParam().name, line));
    }
    return "With " + text + " this does not happen any more (";
  }
};

TEST_P(WeakMissing, IsNamed) {
  for (int seed = 1; seed <= long_or_short(20, 2); ++seed) {
    const TempDir out;
    const Report report =
        report_of(out, program("gcc", std::string("weak/") + GetParam().name), seed);
    EXPECT_THAT(report.text, HasSubstr(expected())) << "seed " << seed << "\n" << report.result;
    // Peterson's lock fails by a store that comes before an older one, too.
    using testing::ContainsRegex;
    EXPECT_THAT(report.text,
                ContainsRegex("Needs weak memory: [1-3] (stale reads?|stores? behind others); no "
                              "sequentially consistent schedule of "))
        << report.result;
    EXPECT_THAT(report.text, ContainsRegex(": nothing (makes|orders) ")) << report.result;
    const bool is_stale = report.text.find("1 stale read;") != std::string::npos;
    if (is_stale) {
      EXPECT_THAT(report.text, HasSubstr("stale)")) << report.result;
    }
  }
}

const Missing kMissing[] = {
    {"agreed_order",
     "seq_cst fences before {if (!right.load(std::memory_order_acquire)) ++} and "
     "{if (!left.load(std::memory_order_acquire)) ++}"},
    {"chase_lev", "a seq_cst fence before {long top = top_.load(std::memory_order_relaxed)}"},
    {"dekker", "a seq_cst fence before {entered[me] = }"},
    {"double_checked_flag",
     "acquire at {ready.load(LOOK)} and release at {ready.store(true, SET)}"},
    {"event_count", "seq_cst at {fence(WAITER)} and {fence(NOTIFIER)}"},
    {"hazard_pointer", "seq_cst fences before {if (head.load(} and {if (announced.load(}"},
    // In one line, whose code is in two places; no fence before it helps.
    {"last_owner", "acq_rel at {fetch_sub(1, DROP)}"},
    {"mcs_weak", "release at {HAND_OVER}"},
    {"mpmc_queue", "release at {PUBLISH}"},
    {"ms_queue", "release at {LINK}"},
    {"peterson_weak", "seq_cst fences before {turn.store(} and {while (wants}"},
    {"rcu_publish", "release at {PUBLISH}"},
    {"rw_lock", "release at {UNLOCK}"},
    {"seqlock_fence", "an acquire fence before {if (sequence.load(}"},
    {"spin_barrier", "acq_rel at {ARRIVE}"},
    {"spsc_ring", "release at {PUBLISH}"},
};
INSTANTIATE_TEST_SUITE_P(All, WeakMissing, testing::ValuesIn(kMissing),
                         [](const auto& info) { return std::string(info.param.name); });

// The program has a fence there, of the wrong kind: it need not be seq_cst.
TEST(WeakMissingOrder, OfAFenceIsTheWeakestThatHelps) {
  const TempDir out;
  const Report report = report_of(out, program("gcc", "weak/seqlock_wrong_fence"), 1);
  EXPECT_THAT(report.text, HasSubstr("With acq_rel at " + place("seqlock_fence", "FENCE;") +
                                     " this does not happen any more ("))
      << report.result;
}

// A seqlock can be mended in several ways, none of which is a part of the other: which one is named
// depends on the schedule.
TEST(WeakMissingOrder, OfASeqlockIsOneThatHelps) {
  const TempDir out;
  const Report report = report_of(out, program("gcc", "weak/seqlock"), 1);
  EXPECT_THAT(report.text, testing::ContainsRegex("With [^(]*seqlock.h:[0-9]+ this does not happen "
                                                  "any more \\("))
      << report.result;
}

// Without optimisation all loads of std::atomic are one instruction: places are the program's.
TEST(WeakMissingOrder, IsNamedWithoutOptimisation) {
  const TempDir out;
  const std::string path = out.file("spsc_ring");
  const std::string source = std::string(JOSTLE_SOURCE_DIR) + "/tests/programs/weak/spsc_ring.cc";
  ASSERT_EQ(jostle({"c++", "-O0", "-g", "-o", path, source}).exit_code, 0);
  const Report report = report_of(out, path, 1);
  EXPECT_THAT(report.text, HasSubstr("With release at " + place("spsc_ring", "PUBLISH") + " this"))
      << report.result;
}

// A race for want of an order needs no stale read.
// A function that is inlined twice has two stores for one line: who changes the line changes both.
TEST(WeakMissingOrder, IsThatOfALineWithAllItsPlaces) {
  const TempDir out;
  const std::string path =
      build(out, "twice",
            "#include <assert.h>\n#include <pthread.h>\nstatic int full, slot;\n"
            "static inline __attribute__((always_inline)) void post(int value) {\n"
            "  __atomic_store_n(&slot, value, __ATOMIC_RELAXED);\n"
            "  __atomic_store_n(&full, value, __ATOMIC_RELAXED);\n"
            "}\n"
            "static void* work(void* unused) {\n"
            "  post(1);\n  post(2);\n  return unused;\n}\n"
            "int main(void) {\n"
            "  pthread_t a;\n  pthread_create(&a, 0, work, 0);\n"
            "  const int seen = __atomic_load_n(&full, __ATOMIC_RELAXED);\n"
            "  const int got = __atomic_load_n(&slot, __ATOMIC_RELAXED);\n"
            "  assert(got >= seen);\n  pthread_join(a, 0);\n}\n");
  const Report report = report_of(out, path, 1);
  EXPECT_THAT(report.text,
              HasSubstr("With acquire at twice.c:16 and release at twice.c:6 this does not"))
      << report.result;
}

TEST(WeakMissingOrder, OfARaceIsNamed) {
  const std::pair<const char*, const char*> scenarios[] = {
      {"relaxed_relaxed", "With acquire at race_atomics.cc:34 and release at race_atomics.cc:33 "},
      {"release_relaxed", "With acquire at race_atomics.cc:38 "},
      {"relaxed_acquire", "With release at race_atomics.cc:41 "}};
  for (const auto& [name, missing] : scenarios) {
    const Result result =
        jostle({"fuzz", "--fail-on", "race", "--seed", "1", "-n", "500", "-o",
                TempDir().file("out"), program("gcc", "races/race_atomics"), name});
    EXPECT_THAT(one_line(result.out),
                HasSubstr(std::string(missing) + "this does not happen any more ("))
        << result;
  }
}

TEST(WeakMissingOrder, IsNotNamedWhereNoneHelps) {
  const Result result =
      jostle({"fuzz", "--fail-on", "race", "--seed", "1", "-n", "500", "-o", TempDir().file("out"),
              program("gcc", "races/race_atomics"), "plain_and_atomic"});
  EXPECT_THAT(one_line(result.out), HasSubstr("Nothing orders ")) << result;
  EXPECT_THAT(one_line(result.out), Not(HasSubstr("does not happen any more"))) << result;
}

// ---- what is said besides -----------------------------------------------------------------------

TEST(WeakReport, SaysWhatWasRead) {
  const TempDir out;
  const Report report = report_of(out, program("gcc", "weak/rcu_publish"), 1);
  // Whichever of the two stores it has not seen.
  const auto says = [](const char* member, const char* value, const char* load, const char* store) {
    return HasSubstr(std::string("T2 use read configurations[1].") + member + " = 0 (" +
                     place("rcu_publish", load) + ", relaxed) although T1 publish had stored " +
                     value + " (" + place("rcu_publish", store) +
                     ", relaxed) before: nothing makes T2 see it.");
  };
  EXPECT_THAT(report.text,
              testing::AnyOf(says("limit", "5", "found->limit.load", "next.limit.store"),
                             says("size", "3", "found->size.load", "next.size.store")))
      << report.result;
}

// Who was overlooked had come and gone: that it had stored what was read says nothing.
TEST(WeakReport, NamesANewerStoreOfAnotherValue) {
  const Result result = jostle({"verify", "--memory=c11", "--fail-on", "race", "-o",
                                TempDir().file("out"), program("gcc", "weak/left_right")});
  EXPECT_THAT(one_line(result.out),
              HasSubstr("main read readers = 0 (left_right.cc:22, seq_cst) although T1 look had "
                        "stored 1 (left_right.cc:12, acquire) before"))
      << result;
  EXPECT_THAT(one_line(result.out), HasSubstr("With a seq_cst fence before left_right.cc:13 this"))
      << result;
}

TEST(WeakReport, IsInAllFormatsAndTheReplay) {
  const TempDir out;
  const Report report = report_of(out, program("gcc", "weak/dekker"), 1);
  const std::string json = read_file(report.folder + "/report.json");
  EXPECT_THAT(json, HasSubstr("\"weak_memory\": {\"stale_reads\":1,\"sequential_schedules\":"));
  EXPECT_THAT(json, HasSubstr("\"stale\":true"));
  EXPECT_THAT(json, HasSubstr("\"modification_orders\":[{\"object\":"));
  for (const char* file : {"report.json", "report.html", "report.txt", "replay.json"}) {
    EXPECT_THAT(one_line(read_file(report.folder + "/" + file)),
                HasSubstr("Needs weak memory: 1 stale read"))
        << file;
  }
  const Result replay = jostle({"replay", report.folder + "/replay.json"});
  EXPECT_THAT(one_line(replay.out + replay.err), HasSubstr("this does not happen any more ("))
      << replay;
}

// It was not tried without: then it is not said that it is needed.
TEST(WeakReport, ClaimsNoNeedThatWasNotTried) {
  const TempDir out;
  const Report report = report_of(out, program("gcc", "weak/spsc_ring"), 1, {"--minimize", "off"});
  EXPECT_THAT(report.text, HasSubstr("With weak memory: ")) << report.result;
  EXPECT_THAT(report.text, Not(HasSubstr("Needs weak memory"))) << report.result;
  EXPECT_THAT(report.text, Not(HasSubstr("sequentially consistent"))) << report.result;
}

TEST(WeakReport, SaysNothingOfWeakMemoryWhereItIsNotNeeded) {
  for (int seed = 1; seed <= long_or_short(20, 3); ++seed) {
    for (const char* strategy : {"portfolio", "random"}) {
      const TempDir out;
      const Report report =
          report_of(out, program("gcc", "weak/lost_count"), seed, {"--strategy", strategy});
      EXPECT_EQ(report.result.exit_code, 77) << report.result;
      EXPECT_THAT(report.text, Not(HasSubstr("weak memory"))) << report.result;
      EXPECT_THAT(report.text, Not(HasSubstr("stale"))) << report.result;
      EXPECT_THAT(report.text, HasSubstr("Without that in between it passes.")) << report.result;
      EXPECT_THAT(read_file(report.folder + "/replay.json"), Not(HasSubstr("[\"stale\",")));
    }
  }
}

}  // namespace
}  // namespace jostle::test
