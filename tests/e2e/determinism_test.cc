// The same schedule gives the same run: same output, same trace, a thousand times out of a thousand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> determinism_programs() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/determinism")) {
    const std::string extension = entry.path().extension();
    if (extension == ".c" || extension == ".cc") {
      names.push_back("determinism/" + entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Determinism : public testing::TestWithParam<std::string> {};

TEST_P(Determinism, SameSeedSameOutput) {
  const std::string path = program("gcc", GetParam());
  for (const char* seed : {"1", "2", "3"}) {
    const Result first = jostle({"run", "--seed", seed, "--strategy", "pos", "--", path});
    ASSERT_EQ(first.signal, 0) << first;
    for (int i = 0; i < 5; ++i) {
      const Result again = jostle({"run", "--seed", seed, "--strategy", "pos", "--", path});
      EXPECT_EQ(again.out, first.out) << "seed " << seed;
      EXPECT_EQ(again.exit_code, first.exit_code);
    }
  }
}

TEST_P(Determinism, DifferentSeedsDiffer) {
  const std::string path = program("gcc", GetParam());
  std::vector<std::string> outputs;
  for (int seed = 1; seed <= 8; ++seed) {
    outputs.push_back(
        jostle({"run", "--seed", std::to_string(seed), "--strategy", "random", "--", path}).out);
  }
  std::sort(outputs.begin(), outputs.end());
  outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
  EXPECT_GT(outputs.size(), 1u) << "the seed does not matter?";
}

TEST_P(Determinism, DoctorFindsNothing) {
  const Result result = jostle({"doctor", "--", program("gcc", GetParam())});
  EXPECT_NE(result.out.find("deterministic     yes"), std::string::npos) << result;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem();
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, testing::ValuesIn(determinism_programs()), test_name);

}  // namespace
}  // namespace jostle::test
