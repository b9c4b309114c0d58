// SPDX-License-Identifier: Apache-2.0
// One process that is rewound and a process per run are the same to every strategy: equal traces
// for equal seeds. Strategies that steer by names (surw, rff, mutate) notice what others do not, a
// name that is another one in another process.
//
// By default only some programs, each for a reason, and strategies that learn by names;
// JOSTLE_ALL_EXECUTORS=1 compares all programs with all strategies, 30 schedules each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/strategy/strategy.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Program {
  std::string name;
  std::string schedules;
  friend void PrintTo(const Program& program, std::ostream* os) { *os << program.name; }
};

// Real time decides in these, or the peer, or they are large.
bool is_comparable(const std::string& name) {
  for (const std::string other : {"scale_", "infinite_loop", "real_peer", "needs_", "fork", "proc_",
                                  "reuseport", "signal_alone"}) {
    if (name.find(other) != std::string::npos) return false;
  }
  return true;
}

bool compares_all() {
  const char* all = std::getenv("JOSTLE_ALL_EXECUTORS");
  return all && *all;
}

bool is_quick(std::string_view strategy) {
  for (const std::string_view one : {"portfolio", "rff", "surw", "mutate", "directed", "pct"}) {
    if (strategy == one) return true;
  }
  return false;
}

std::vector<Program> programs() {
  std::vector<Program> chosen = {{"conform/cancel_points", "100"},  // threads that are cancelled
                                 {"conform/cxx_async", "100"},      // and joined
                                 {"torture/rewind_early_threads", "100"},  // before main
                                 {"events/signal_loop", "40"}};  // signals of ours are in between
  if (!compares_all()) return chosen;
  const fs::path root = fs::path(JOSTLE_SOURCE_DIR) / "tests/programs";
  for (const std::string folder : {"conform", "determinism", "torture", "bugs", "events"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      const std::string name = folder + "/" + entry.path().stem().string();
      if ((extension == ".c" || extension == ".cc") && is_comparable(name) &&
          std::ranges::find(chosen, name, &Program::name) == chosen.end()) {
        chosen.push_back({name, "30"});
      }
    }
  }
  return chosen;
}

std::string digest(const std::string& executor, const std::string& strategy,
                   const Program& program) {
  const TempDir out;
  const Result result =
      jostle({"fuzz", "--strategy", strategy, "--executor=" + executor, "--seed", "5", "--fresh",
              "--json", "-q", "-k", "--minimize", "off", "-n", program.schedules, "-o",
              out.file("out"), "--", test::program("gcc", program.name)},
             {.input = "first line\nsecond 2\n", .cwd = out.path()});
  const Json stats = Json::parse(result.out, nullptr, false);
  if (!stats.is_object()) return "no statistics";
  EXPECT_EQ(stats["restarts"], 0) << executor << " " << strategy;
  // Asked for a rewound process that the program does not allow: nothing to compare.
  return stats["executor"] == executor ? stats["traces_digest"].get<std::string>() : "";
}

class Executors : public testing::TestWithParam<Program> {};

TEST_P(Executors, GiveTheSameTracesWithEveryStrategy) {
  for (const StrategyInfo* info : known_strategies()) {
    if (info->needs_it) continue;
    if (!compares_all() && !is_quick(info->name)) continue;
    const std::string strategy(info->name);
    const std::string rewound = digest("snapshot", strategy, GetParam());
    if (rewound.empty()) GTEST_SKIP() << "needs a process per run";
    EXPECT_EQ(rewound, digest("fork", strategy, GetParam())) << strategy;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Executors, testing::ValuesIn(programs()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '/', '_');
  return name;
});

}  // namespace
}  // namespace jostle::test
