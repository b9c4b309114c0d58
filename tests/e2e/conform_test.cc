// Every conformance program, in every flavour, natively and under many schedules: it must end well
// under all of them. A wrong return code, a lost wake-up or a false alarm of ours shows here.
#include <gtest/gtest.h>

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
  for (const auto& entry : fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs" / folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".c" || extension == ".cc") names.push_back(folder + "/" + entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> all_programs() {
  std::vector<std::string> names = programs_in("conform");
  for (const std::string& name : programs_in("hooks")) names.push_back(name);
  return names;
}

std::vector<std::string> flavours() {
  std::vector<std::string> all = instrumented_flavours();
  all.push_back("plain");
  return all;
}

using Case = std::tuple<std::string, std::string>;

class Conform : public testing::TestWithParam<Case> {};

TEST_P(Conform, HoldsUnderEverySchedule) {
  const auto& [flavour, name] = GetParam();
  const std::string path = program(flavour, name);
  ASSERT_TRUE(fs::exists(path)) << path;
  TempDir out;
  for (const char* strategy : {"none", "random", "pos"}) {
    const Result result =
        jostle({"fuzz", "--sync-only", "--seed", "7", "--strategy", strategy, "--schedules",
                strategy == std::string("none") ? "1" : kSchedules, "--timeout", "60s", "-o",
                out.file("out"), "--", path},
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

INSTANTIATE_TEST_SUITE_P(All, Conform,
                         testing::Combine(testing::ValuesIn(flavours()),
                                          testing::ValuesIn(all_programs())),
                         case_name);

}  // namespace
}  // namespace jostle::test
