// SPDX-License-Identifier: Apache-2.0
// Unmodified threaded programs of the distribution, as they are installed: under every schedule
// their output is what they give without us.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

constexpr int kSeeds = 100;

// Compressible, not trivially so.
std::string sample_data() {
  std::string data;
  unsigned state = 12345;
  while (data.size() < 600'000) {
    state = state * 1103515245 + 12345;
    data.append((state >> 16) % 20 + 1, static_cast<char>('a' + (state >> 24) % 26));
  }
  return data;
}

void expect_same_output_under_all_seeds(const std::vector<std::string>& command) {
  if (run({"bash", "-c", "command -v " + command[0]}).exit_code != 0) {
    GTEST_SKIP() << command[0] << " is not installed";
  }
  const TempDir folder;
  std::vector<std::string> argv = command;
  argv.push_back(folder.write("data", sample_data()));
  const Result expected = run(argv);
  ASSERT_EQ(expected.exit_code, 0) << expected;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    std::vector<std::string> args = {
        "run",    "--sync-only",        "--strategy",  seed % 2 ? "pos" : "random",
        "--seed", std::to_string(seed), "--max-steps", "10000000",
        "--"};
    args.insert(args.end(), argv.begin(), argv.end());
    const Result controlled = jostle(args);
    ASSERT_EQ(controlled.exit_code, 0) << "seed " << seed << "\n" << controlled.err;
    ASSERT_TRUE(controlled.out == expected.out) << "seed " << seed << ": another output";
  }
}

TEST(RealPrograms, Xz) {
  expect_same_output_under_all_seeds({"xz", "-T4", "-1", "--block-size=100KiB", "-c"});
}
TEST(RealPrograms, Zstd) {
  expect_same_output_under_all_seeds({"zstd", "-q", "-T4", "-B100KB", "-c"});
}
TEST(RealPrograms, Pbzip2) {
  expect_same_output_under_all_seeds({"pbzip2", "-p4", "-b1", "-1", "-c"});
}

}  // namespace
}  // namespace jostle::test
