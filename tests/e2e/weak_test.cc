// SPDX-License-Identifier: Apache-2.0
// Weak memory: programs that fail only when an atomic load reads an older store are caught with
// --memory=c11 and pass without, their twins with the right orders pass always, and litmus tests
// have the outcomes that C++ allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

Result fuzz(const std::string& path, std::vector<std::string> options, const TempDir& out,
            std::vector<std::string> arguments = {}) {
  std::vector<std::string> words = {"fuzz", "--fresh", "-o", out.file("out")};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", path});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return jostle(words, {.time_limit = 300});
}

std::string finding_of(const TempDir& out, const std::string& name) {
  return recording_in(out.file("out/" + name));
}

// ---- bugs and their twins ---------------------------------------------------------------------

std::vector<std::string> weak_bugs() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/weak")) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == ".cc" && name.ends_with("_ok")) {
      names.push_back(name.substr(0, name.size() - 3));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class WeakBug : public testing::TestWithParam<std::string> {
 protected:
  std::string bug() const { return program("gcc", "weak/" + GetParam()); }
  std::string twin() const { return bug() + "_ok"; }
};

TEST_P(WeakBug, IsFoundWithEverySeed) {
  for (int seed = 1; seed <= long_or_short(20, 2); ++seed) {
    const TempDir out;
    const Result found =
        fuzz(bug(), {"--memory=c11", "--seed", std::to_string(seed), "-n", "1000"}, out);
    EXPECT_EQ(found.exit_code, 77) << found;
    EXPECT_THAT(found.out, AnyOf(HasSubstr("assertion"), HasSubstr("DEADLOCK"))) << found;
    EXPECT_THAT(found.out, testing::Not(HasSubstr("data race"))) << found;
    // The finding says what memory it needs, and does it again.
    const std::string file = finding_of(out, GetParam());
    const std::string text = read_file(file);
    EXPECT_THAT(text, HasSubstr("\"memory\": \"c11\""));
    EXPECT_TRUE(text.find("[\"stale\",") != std::string::npos ||
                text.find("[\"place\",") != std::string::npos)
        << text;
    EXPECT_EQ(jostle({"replay", file}).exit_code, 77);
  }
}

TEST_P(WeakBug, NeedsWeakMemory) {
  const TempDir out;
  const Result passed = fuzz(bug(), {"--memory=sc", "--seed", "1", "-n", "3000"}, out);
  EXPECT_EQ(passed.exit_code, 0) << passed;
}

TEST_P(WeakBug, ItsTwinPasses) {
  const TempDir out;
  const std::string count = std::to_string(long_or_short(100'000, 3000));
  // By sampling, which has no end.
  const Result passed =
      fuzz(twin(), {"--memory=c11", "--strategy", "pos", "--seed", "1", "-n", count}, out);
  EXPECT_EQ(passed.exit_code, 0) << passed;
  EXPECT_THAT(passed.out, testing::Not(HasSubstr("race"))) << passed;
  // They are small: all there is, by themselves.
  const Result all = fuzz(twin(), {"--memory=c11", "--seed", "1", "-n", count}, out);
  EXPECT_EQ(all.exit_code, 0) << all;
  EXPECT_THAT(all.out, HasSubstr("VERIFIED")) << all;
  EXPECT_THAT(all.out, HasSubstr("C++'s memory model")) << all;
}

// A load that reads an old store may keep the program from all others that could: where only the
// first of them is known so far, not every run may read an old store there.
TEST(WeakSearch, FindsPlacesBehindThoseThatItKnows) {
  const std::string bug = program("gcc", "weak/double_checked_flag");
  for (int seed = 1; seed <= long_or_short(60, 8); ++seed) {
    const TempDir out;
    const Result found = fuzz(bug,
                              {"--memory=c11", "--strategy", "rff", "--seed", std::to_string(seed),
                               "-n", "1500", "--minimize", "off"},
                              out);
    EXPECT_EQ(found.exit_code, 77) << seed << found;
  }
}

// A test-and-set may read what it has stored itself, again and again, while the lock was given
// back: not for ever, whatever a constraint asks for.
TEST(WeakSearch, LetsSpinningReadModifyWritesSeeWhatIsNew) {
  const TempDir folder, out;
  const std::string path = build_cxx(folder, "lock", R"(
#include <atomic>
#include <thread>
static std::atomic_flag taken;
static std::atomic<int*> made;
static int value;
static void make() {
  if (made.load(std::memory_order_acquire)) return;
  while (taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  if (!made.load(std::memory_order_relaxed)) made.store(&value, std::memory_order_release);
  taken.clear(std::memory_order_release);
}
int main() {
  std::thread a(make), b(make);
  a.join();
  b.join();
}
)");
  const Result all =
      fuzz(path, {"--memory=c11", "--strategy", "rff", "--seed", "7", "-n", "400", "--json"}, out);
  EXPECT_THAT(all.out, HasSubstr("\"schedules\": 400,")) << all;
  EXPECT_EQ(all.exit_code, 0) << all;
}

// To explain a failure with a process per run takes seconds.
std::vector<std::string> some_weak_bugs() {
  const std::vector<std::string> all = weak_bugs();
  std::vector<std::string> some;
  for (size_t i = 0; i < all.size(); i += static_cast<size_t>(long_or_short(1, 5))) {
    some.push_back(all[i]);
  }
  return some;
}

class SomeWeakBug : public WeakBug {};

TEST_P(SomeWeakBug, IsFoundTheSameWayByBothExecutors) {
  std::string first;
  for (const char* executor : {"snapshot", "fork"}) {
    const TempDir out;
    const Result found =
        fuzz(bug(), {"--memory=c11", "--executor", executor, "--seed", "3", "-n", "1000"}, out);
    EXPECT_EQ(found.exit_code, 77) << found;
    const std::string line = found.out.substr(0, found.out.find('\n'));
    if (first.empty()) first = line;
    EXPECT_EQ(line, first);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WeakBug, testing::ValuesIn(weak_bugs()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(All, SomeWeakBug, testing::ValuesIn(some_weak_bugs()),
                         [](const auto& info) { return info.param; });

// ---- litmus tests -----------------------------------------------------------------------------

struct Litmus {
  const char* test;
  int threads;
  std::vector<std::string> allowed, forbidden;
};

void PrintTo(const Litmus& litmus, std::ostream* to) { *to << litmus.test; }

// Two threads: all schedules and all choices. More have too many schedules: a lot of them.
class WeakLitmus : public testing::TestWithParam<Litmus> {
 protected:
  Result explore(const std::string& outcome) {
    const TempDir out;
    const bool all = GetParam().threads == 2;
    return fuzz(program("gcc", "weak/litmus"),
                {"--memory=c11", "--strategy", all ? "systematic-first" : "portfolio", "--seed",
                 "1", "-n", all ? "100000" : "20000", "--minimize", "off"},
                out, {GetParam().test, outcome});
  }
};

TEST_P(WeakLitmus, HasTheOutcomesThatAreAllowed) {
  for (const std::string& outcome : GetParam().allowed) {
    const Result found = explore(outcome);
    EXPECT_EQ(found.exit_code, 77) << outcome << "\n" << found;
  }
  for (const std::string& outcome : GetParam().forbidden) {
    const Result none = explore(outcome);
    EXPECT_EQ(none.exit_code, 0) << outcome << "\n" << none;
    if (GetParam().threads == 2) {
      EXPECT_THAT(none.out, HasSubstr("schedules explored")) << outcome << "\n" << none;
    }
  }
}

const Litmus kLitmus[] = {
    {"SB", 2, {"00", "01", "10", "11"}, {}},
    {"SB+sc", 2, {"01", "10", "11"}, {"00"}},
    {"SB+fences", 2, {"01", "10", "11"}, {"00"}},
    {"SB+one_fence", 2, {"00"}, {}},
    {"SB+acq_rel_fences", 2, {"00"}, {}},
    {"SB+exchanges", 2, {"00"}, {}},
    {"SB+3sc+acq", 2, {"00"}, {}},
    {"MP", 2, {"00", "01", "10", "11"}, {}},
    {"MP+rel+acq", 2, {"00", "01", "11"}, {"10"}},
    {"MP+rel+rlx", 2, {"10"}, {}},
    {"MP+fences", 2, {"11"}, {"10"}},
    {"MP+rels", 2, {"20"}, {"10"}},
    {"MP+update", 3, {"21", "10"}, {"20"}},
    {"CoRR", 2, {"02", "12"}, {"21", "10", "20"}},
    {"IRIW", 4, {"1010"}, {}},
    {"IRIW+sc", 4, {"1011"}, {"1010"}},
    {"WRC", 3, {"110"}, {}},
    {"WRC+rel+acq", 3, {"111"}, {"110"}},
    {"ISA2", 3, {"111"}, {"110"}},
    {"2+2W", 2, {"11"}, {}},
    {"2+2W+sc", 2, {"21"}, {"11"}},
    {"S", 2, {"12"}, {}},
    {"LB", 2, {"01"}, {"11"}},
};

INSTANTIATE_TEST_SUITE_P(All, WeakLitmus, testing::ValuesIn(kLitmus), [](const auto& info) {
  std::string name = info.param.test;
  for (char& c : name) c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

// ---- races --------------------------------------------------------------------------------------

// Acquire and release order what the lock protects, as long as it is a lock: it is not one when a
// stale read lets both in.
TEST(WeakRace, IsReportedWhenOnlyAStaleReadLeadsToIt) {
  const std::string path = program("gcc", "weak/peterson_race");
  for (const bool weak : {false, true}) {
    const TempDir out;
    const Result result = fuzz(
        path,
        {weak ? "--memory=c11" : "--memory=sc", "--seed", "1", "-n", "3000", "--fail-on", "race"},
        out);
    EXPECT_EQ(result.exit_code, weak ? 77 : 0) << result;
    if (!weak) continue;
    EXPECT_THAT(result.out, HasSubstr("data race")) << result;
    EXPECT_EQ(jostle({"replay", finding_of(out, "peterson_race")}).exit_code, 77);
  }
}

TEST(WeakMemory, NeedsNoCheckForRaces) {
  const TempDir out;
  const Result found = fuzz(program("gcc", "weak/spsc_ring"),
                            {"--memory=c11", "--check", "none", "--seed", "1", "-n", "1000"}, out);
  EXPECT_EQ(found.exit_code, 77) << found;
}

TEST(WeakMemory, IsTypedAgain) {
  const std::string path = program("gcc", "weak/dekker");
  for (int seed = 1; seed <= 100; ++seed) {
    const Result run = jostle({"run", "--memory=c11", "--strategy", "random", "--seed",
                               std::to_string(seed), "--", path});
    if (run.exit_code == 0) continue;
    EXPECT_THAT(run.err, HasSubstr("--memory=c11")) << run;
    return;
  }
  ADD_FAILURE() << "no run with one of a hundred seeds failed";
}

// ---- the option -------------------------------------------------------------------------------

TEST(WeakMemoryOption, KnowsTwoModels) {
  const Result wrong = jostle({"fuzz", "--memory=tso", "--", "/bin/true"});
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("expected sc or c11")) << wrong;
}

}  // namespace
}  // namespace jostle::test
