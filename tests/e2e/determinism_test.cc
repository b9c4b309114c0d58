// SPDX-License-Identifier: Apache-2.0
// The same schedule gives the same run: same output, same trace, a thousand times out of a
// thousand; a hundred where time is short.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "src/cli/runs/trace_compare.h"
#include "src/cli/target/execution.h"
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

// The promise itself: one choice log, followed many times, each time in a fresh process with its
// full trace recorded and compared event by event.
TEST_P(Determinism, SameLogSameTraceEveryTime) {
  const int replays = long_or_short(1000, 100);
  const std::string path = program("gcc", GetParam());
  const fs::path library = fs::path(jostle_bin()).parent_path().parent_path() / "lib";
  const cli::Installation installation{library / "libjostle.so", library / "jostle/tsan"};
  const cli::Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const cli::LaunchPlan plan{
      .program = path, .arguments = {path}, .in = null.get(), .out = null.get(), .err = null.get()};
  channel::Config config = cli::default_config(channel::Mode::run);
  config.record = 1;
  config.seed = 11;
  std::strcpy(config.strategy, "random");
  const auto recorded = cli::execute(plan, config, nullptr, installation);
  ASSERT_TRUE(recorded);
  const cli::ScheduleLog log = cli::copy_schedule(recorded->record().schedule);
  ASSERT_GT(log.segments.size(), 3u);

  config.mode = channel::Mode::replay;
  const auto first = cli::execute(plan, config, &log, installation);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->record().end.outcome, recorded->record().end.outcome)
      << first->record().divergence.what;
  for (int i = 1; i < replays; ++i) {
    const auto again = cli::execute(plan, config, &log, installation);
    ASSERT_TRUE(again);
    const auto difference = cli::first_difference(*first->channel, *again->channel);
    ASSERT_FALSE(difference.has_value()) << "replay " << i << ": " << *difference;
  }
}

// A library that looks by its process id whether it was forked finds that it was not, however long
// the campaign.
TEST(ProcessId, OfBeforeMainIsThatOfAllRuns) {
  const TempDir folder;
  const std::string source = folder.write("own_id.cc",
                                          "#include <unistd.h>\n"
                                          "#include <cassert>\n"
                                          "#include <thread>\n"
                                          "static const pid_t own = getpid();\n"
                                          "int main() {\n"
                                          "  std::thread t([] { assert(getpid() == own); });\n"
                                          "  t.join();\n"
                                          "}\n");
  ASSERT_TRUE(jostle(compile_cxx(source, folder.file("own_id"))).ok());
  for (const char* executor : {"auto", "fork", "snapshot"}) {
    const Result silent = jostle(
        {"fuzz", "-n", "40", "--strategy", "random", "--executor", executor, folder.file("own_id")},
        {.cwd = folder.path()});
    EXPECT_EQ(silent.exit_code, 0) << silent;
    // Nor is it given up to rewind it: a child is as good.
    EXPECT_THAT(silent.err, testing::Not(testing::HasSubstr("a process per run"))) << silent;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem();
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, testing::ValuesIn(determinism_programs()), test_name);

}  // namespace
}  // namespace jostle::test
