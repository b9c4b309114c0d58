// SPDX-License-Identifier: Apache-2.0
// A process that is rewound after every run is as good as a new one: the same campaign gives the
// same traces in one process and in a process per run.
//
// JOSTLE_TORTURE_RUNS says how many schedules each program is compared for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string runs() {
  const char* wanted = std::getenv("JOSTLE_TORTURE_RUNS");
  return wanted && *wanted ? wanted : "300";
}

// A program that cannot be rewound says why in its first line: "// executor: fork: <why>".
std::string why_fork(const fs::path& source) {
  std::ifstream file(source);
  std::string line;
  std::getline(file, line);
  const std::string label = "// executor: fork: ";
  return line.starts_with(label) ? line.substr(label.size()) : "";
}

struct Program {
  std::string name;
  std::string why_fork;  // "" when it can be rewound
  friend void PrintTo(const Program& program, std::ostream* os) { *os << program.name; }
};

std::vector<Program> programs(bool rewindable) {
  std::vector<Program> found;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/torture")) {
    const std::string extension = entry.path().extension();
    if (extension != ".c" && extension != ".cc") continue;
    const Program program{entry.path().stem(), why_fork(entry.path())};
    if (program.why_fork.empty() == rewindable) found.push_back(program);
  }
  std::ranges::sort(found, {}, &Program::name);
  return found;
}

std::string test_name(const testing::TestParamInfo<Program>& info) { return info.param.name; }

struct Campaign {
  Result result;
  Json stats = Json::object();
};

Campaign fuzz(const std::string& executor, std::vector<std::string> options,
              const std::string& path) {
  const TempDir out;
  std::vector<std::string> arguments = {
      // Not the portfolio, which stops when it has explored a small program.
      "fuzz",   "--strategy", "pos", "--executor=" + executor, "--seed", "5",
      "--json", "-q",         "-o",  out.file("out")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", path});
  Campaign campaign;
  campaign.result =
      jostle(arguments, {.input = "first line\nsecond 2\n", .cwd = out.path(), .time_limit = 3600});
  campaign.stats = Json::parse(campaign.result.out, nullptr, false);
  if (!campaign.stats.is_object()) {
    ADD_FAILURE() << "no statistics: " << campaign.result;
    campaign.stats = Json::object();
  }
  return campaign;
}

void expect_clean(const Campaign& campaign, const std::string& executor) {
  EXPECT_EQ(campaign.result.exit_code, 0) << campaign.result;
  EXPECT_EQ(campaign.stats["executor"], executor) << campaign.stats["executor_note"];
  EXPECT_EQ(campaign.stats["restarts"], 0);
  EXPECT_EQ(campaign.stats["unconfirmed"], Json::array());
  EXPECT_EQ(campaign.stats["schedules"].dump(), runs());
}

class Torture : public testing::TestWithParam<Program> {};

TEST_P(Torture, LeavesNothingBehind) {
  const std::string path = program("gcc", "torture/" + GetParam().name);
  const Campaign rewound = fuzz("snapshot", {"-n", runs()}, path);
  const Campaign fresh = fuzz("fork", {"-n", runs()}, path);
  expect_clean(rewound, "snapshot");
  expect_clean(fresh, "fork");
  EXPECT_EQ(rewound.stats["traces_digest"], fresh.stats["traces_digest"]);
}

INSTANTIATE_TEST_SUITE_P(All, Torture, testing::ValuesIn(programs(true)), test_name);

class NeedsProcesses : public testing::TestWithParam<Program> {};

TEST_P(NeedsProcesses, SaysWhyAndGoesOn) {
  const std::string path = program("gcc", "torture/" + GetParam().name);
  const Campaign automatic = fuzz("auto", {"-n", runs()}, path);
  const Campaign fresh = fuzz("fork", {"-n", runs()}, path);
  expect_clean(automatic, "fork");
  expect_clean(fresh, "fork");
  EXPECT_NE(automatic.stats["executor_note"].dump().find(GetParam().why_fork), std::string::npos)
      << automatic.stats["executor_note"];
  EXPECT_EQ(automatic.stats["traces_digest"], fresh.stats["traces_digest"]);
}

INSTANTIATE_TEST_SUITE_P(All, NeedsProcesses, testing::ValuesIn(programs(false)), test_name);

// However a run ends, the process goes on, and the run counts the same.
struct Ending {
  std::string name;
  std::string runs;
  std::vector<std::string> options;
  friend void PrintTo(const Ending& ending, std::ostream* os) { *os << ending.name; }
};

class EndOfRun : public testing::TestWithParam<Ending> {};

TEST_P(EndOfRun, IsTheSameWithAndWithoutAProcess) {
  std::vector<std::string> options = {"--keep-going", "-n", GetParam().runs};
  options.insert(options.end(), GetParam().options.begin(), GetParam().options.end());
  const std::string path = program("gcc", "bugs/" + GetParam().name);
  const Campaign rewound = fuzz("snapshot", options, path);
  const Campaign fresh = fuzz("fork", options, path);
  EXPECT_EQ(rewound.result.exit_code, 77) << rewound.result;
  EXPECT_EQ(rewound.stats["executor"], "snapshot") << rewound.stats["executor_note"];
  EXPECT_EQ(rewound.stats["restarts"], 0);
  EXPECT_EQ(rewound.stats["unconfirmed"], Json::array());
  EXPECT_EQ(rewound.stats["outcomes"], fresh.stats["outcomes"]);
  EXPECT_EQ(rewound.stats["failing_schedules"], fresh.stats["failing_schedules"]);
  EXPECT_EQ(rewound.stats["failures"].size(), fresh.stats["failures"].size());
  // Where a run that takes too long is cut off, real time decides.
  if (!rewound.stats["outcomes"].contains("timeout")) {
    EXPECT_EQ(rewound.stats["traces_digest"], fresh.stats["traces_digest"]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EndOfRun,
    testing::Values(Ending{"order_violation", "50", {}}, Ending{"stack_overflow", "50", {}},
                    Ending{"divide_by_zero", "50", {}}, Ending{"abort_call", "50", {}},
                    Ending{"uncaught_exception", "50", {}}, Ending{"exit_code", "50", {}},
                    Ending{"self_deadlock", "50", {}}, Ending{"abba_pthread", "50", {}},
                    Ending{"double_free", "50", {}}, Ending{"unlock_unlocked", "50", {}},
                    Ending{"joinable_destructor", "50", {}}, Ending{"lost_update", "50", {}},
                    Ending{"spin_forever", "20", {"--max-steps", "20000"}},
                    Ending{"infinite_loop", "12", {"--timeout", "200ms"}}),
    [](const testing::TestParamInfo<Ending>& info) { return info.param.name; });

}  // namespace
}  // namespace jostle::test
