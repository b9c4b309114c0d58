// SPDX-License-Identifier: Apache-2.0
// Every conformance program, in every flavour, natively and under many schedules: it must end well
// under all of them. A wrong return code, a lost wake-up or a false alarm of ours shows here.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;

constexpr char kSchedules[] = "20";

std::vector<std::string> programs_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs" / folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".c" || extension == ".cc")
      names.push_back(folder + "/" + entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Case = std::tuple<std::string, std::string>;  // flavour, program

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string& flavour : instrumented_flavours()) {
    for (const char* folder : {"conform", "hooks"}) {
      for (const std::string& name : programs_in(folder)) cases.emplace_back(flavour, name);
    }
  }
  for (const std::string& name : programs_in("conform")) cases.emplace_back("plain", name);
  return cases;
}

class Conform : public testing::TestWithParam<Case> {};

TEST_P(Conform, HoldsUnderEverySchedule) {
  const auto& [flavour, name] = GetParam();
  const std::string path = program(flavour, name);
  ASSERT_TRUE(fs::exists(path)) << path;
  TempDir out;
  std::vector<const char*> strategies = {"none", "random", "pos"};
  if (flavour != "gcc" && long_or_short(0, 1) == 1) strategies = {"pos"};
  for (const char* strategy : strategies) {
    const Result result = jostle({"fuzz", "--sync-only", "--seed", "7", "--strategy", strategy,
                                  "--schedules", strategy == std::string("none") ? "1" : kSchedules,
                                  "--timeout", "60s", "-o", out.file("out"), "--", path},
                                 {.time_limit = 280});
    EXPECT_EQ(result.exit_code, 0) << strategy << "\n" << result;
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Conform, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace jostle::test
