// SPDX-License-Identifier: Apache-2.0
// What an explanation claims is true: "without that in between it passes" names a change to the
// schedule, and the schedule with that change is run again, in a process of its own, for every
// program with a bug that we have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// All programs of a folder of sources that are built under the same names, but the fixed twins. By
// day those of explained/, and one in three of the others: their failures are found by other tests.
std::vector<std::string> buggy_programs() {
  std::set<std::string> paths;
  const fs::path source = JOSTLE_SOURCE_DIR, build = JOSTLE_BUILD_DIR;
  for (const auto& entry : fs::directory_iterator(build / "subjects")) {
    const std::string name = entry.path().filename();
    const bool runs = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
    if (entry.is_regular_file() && runs && !name.ends_with("_ok")) paths.insert(entry.path());
  }
  for (const char* folder : {"bugs", "explained"}) {
    for (const auto& entry : fs::directory_iterator(source / "tests/programs" / folder)) {
      const std::string name = entry.path().stem();
      if (name.ends_with("_ok") || !entry.path().extension().string().starts_with(".c")) continue;
      paths.insert(program("gcc", std::string(folder) + "/" + name));
    }
  }
  if (long_or_short(1, 0)) return {paths.begin(), paths.end()};
  std::vector<std::string> some;
  size_t others = 0;
  for (const std::string& path : paths) {
    if (path.find("/explained/") != path.npos || others++ % 3 == 0) some.push_back(path);
  }
  return some;
}

class Claims : public testing::TestWithParam<std::string> {};

TEST_P(Claims, AreTrueWhenTheyAreRunAgain) {
  if (!fs::exists(GetParam())) GTEST_SKIP() << "not built (no event library?)";
  const TempDir out;
  const Result found = jostle({"fuzz", "--seed", "7", "-n", long_or_short(1, 0) ? "3000" : "500",
                               "-t", "2s", "-o", out.file("out"), "--", GetParam()});
  for (const fs::path& file : recordings_in(out.file("out"))) {
    const json replay = json::parse(read_file(file));
    const std::string why = replay.value("why", "");
    const bool claims = why.find("passes") != why.npos;
    EXPECT_EQ(claims, replay.contains("passes_with")) << why;
    if (!replay.contains("passes_with")) continue;
    const Result passes = jostle({"replay", "--passing", file});
    EXPECT_EQ(passes.exit_code, 0) << why << "\n" << passes;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Claims, testing::ValuesIn(buggy_programs()), [](const auto& info) {
  std::string name = fs::path(info.param).filename();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_" + std::to_string(info.index);
});

TEST(Passing, NeedsAClaimAndStandsAlone) {
  const TempDir folder;
  const std::string path =
      build(folder, "always", "#include <stdlib.h>\nint main(void) { abort(); }\n");
  const Result found = jostle({"fuzz", "-n", "3", "-o", folder.file("out"), "--", path});
  ASSERT_EQ(found.exit_code, 77) << found;
  for (const fs::path& file : recordings_in(folder.file("out"))) {
    const Result result = jostle({"replay", "--passing", file});
    EXPECT_EQ(result.exit_code, 79) << result;
    EXPECT_THAT(result.err, HasSubstr("no schedule that passes is known"));
    EXPECT_EQ(jostle({"replay", "--passing", "--gdb", file}).exit_code, 2);
  }
}

}  // namespace
}  // namespace jostle::test
