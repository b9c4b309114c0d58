// SPDX-License-Identifier: Apache-2.0
// Programs with a known bug are caught, with the right kind of failure; their fixed twins stay
// silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;

// Each program's first line says how it fails, e.g. "// fails: deadlock (some schedules)". The
// kinds that `jostle fuzz` may call it: the beginnings of the finding's folder name. Empty: not
// found yet.
std::vector<std::string> expected_kinds(const fs::path& source) {
  std::ifstream file(source);
  std::string line;
  std::getline(file, line);
  static const std::pair<const char*, std::vector<std::string>> kKinds[] = {
      {"abort", {"assert", "abort"}},
      {"deadlock", {"deadlock"}},
      {"heap", {"heap"}},
      {"signal", {"crash"}},
      {"misuse", {"misuse"}},
      {"livelock", {"livelock", "steps", "timeout"}},
      {"time-out", {"timeout"}},
      {"terminate", {"abort"}},
      {"exception", {"exception"}},
      {"exit", {"exit"}},
      {"adversarial livelock", {}},
      {"race", {"race"}},
  };
  for (const auto& [text, kinds] : kKinds) {
    if (line.starts_with("// fails: " + std::string(text))) return kinds;
  }
  ADD_FAILURE() << source << " does not say how it fails: " << line;
  return {};
}

fs::path source_of(const std::string& name) {
  const fs::path base = fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/bugs" / name;
  return fs::exists(base.string() + ".c") ? base.string() + ".c" : base.string() + ".cc";
}

std::vector<std::string> bug_programs(bool fixed) {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/bugs")) {
    const std::string extension = entry.path().extension();
    if (extension != ".c" && extension != ".cc") continue;
    const std::string name = entry.path().stem();
    const bool is_fixed = name.size() > 3 && name.ends_with("_ok");
    if (is_fixed == fixed) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

class Bug : public testing::TestWithParam<std::string> {};

TEST_P(Bug, IsFoundConfirmedAndReplayed) {
  const std::vector<std::string> allowed = expected_kinds(source_of(GetParam()));
  if (allowed.empty()) GTEST_SKIP() << "no oracle for it yet";
  {
    TempDir out;
    const std::string fail_on = allowed[0] == "race" ? "race" : "none";
    const Result found = jostle({"fuzz", "--seed", "1", "--schedules", "3000", "--time", "120s",
                                 "--timeout", "3s", "--max-steps", "100000", "--fail-on", fail_on,
                                 "-o", out.file("out"), "--", program("gcc", "bugs/" + GetParam())},
                                {.time_limit = 200});
    ASSERT_EQ(found.exit_code, 77) << found;
    const std::string finding = recording_in(out.file("out"));
    ASSERT_FALSE(finding.empty()) << found;
    const std::string folder = fs::path(finding).parent_path().filename();
    EXPECT_TRUE(
        std::any_of(allowed.begin(), allowed.end(),
                    [&](const std::string& kind) { return folder.starts_with(kind + "-"); }))
        << folder << "\n"
        << found;
    EXPECT_EQ(jostle({"replay", finding}).exit_code, 77) << finding;
    EXPECT_TRUE(fs::exists(fs::path(finding).parent_path() / "report.txt"));
    // As a regression: the recording means the same in another build, and in the fixed twin, where
    // functions may be others, nothing fails.
    const fs::path source = source_of(GetParam());
    if (source.extension() == ".c" || long_or_short(1, 0) == 1) {  // C++ takes long to compile
      const std::string rebuilt = out.file(GetParam());
      const Result built =
          jostle({source.extension() == ".c" ? "cc" : "c++", "-g", "-O2", "-std=gnu++20",
                  "-pthread", "-I" JOSTLE_SOURCE_DIR, source, "-o", rebuilt});
      ASSERT_TRUE(built.ok()) << built;
      const Result there = jostle({"replay", out.file("out"), "-t", "20s", "--program", rebuilt});
      EXPECT_EQ(there.exit_code, 77) << there;
      EXPECT_THAT(there.out, testing::StartsWith("still there ")) << there;
    }
    const Result fixed = jostle({"replay", out.file("out"), "-t", "5s", "-n", "300", "--program",
                                 program("gcc", "bugs/" + GetParam() + "_ok")});
    EXPECT_TRUE(fixed.exit_code == 0 || fixed.exit_code == 78) << fixed;
  }
}

// early_return_lock still has the record of the thread that ended; in exit_holding_lock another
// thread has taken its place.
TEST(DeadlockReport, NamesTheHolderThatHasEnded) {
  const std::pair<const char*, const char*> cases[] = {
      {"early_return_lock",
       "T1 insert +waits for mutex mutex +early_return_lock.c:10\n"
       " +held by T2 find, which has ended +early_return_lock.c:17\n"},
      {"exit_holding_lock",
       "T2 reporter +waits for mutex lock +exit_holding_lock.c:24\n"
       " +held by T1 user, which has ended\n"},
  };
  for (const auto& [name, report] : cases) {
    TempDir out;
    const Result found =
        jostle({"fuzz", "--seed", "1", "--schedules", "3000", "-o", out.file("out"), "--",
                program("gcc", std::string("bugs/") + name)});
    EXPECT_THAT(found.out, testing::ContainsRegex(report)) << found;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bug, testing::ValuesIn(bug_programs(false)), test_name);

class FixedTwin : public testing::TestWithParam<std::string> {};

TEST_P(FixedTwin, StaysSilent) {
  {
    TempDir out;
    for (const char* strategy : {"random", "pos"}) {
      const Result result =
          jostle({"fuzz", "--seed", "5", "--strategy", strategy, "--schedules", "300", "-o",
                  out.file("out"), "--", program("gcc", "bugs/" + GetParam())},
                 {.time_limit = 200});
      EXPECT_EQ(result.exit_code, 0) << result;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FixedTwin, testing::ValuesIn(bug_programs(true)), test_name);

}  // namespace
}  // namespace jostle::test
