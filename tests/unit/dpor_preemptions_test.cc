// SPDX-License-Identifier: Apache-2.0
// Executions with few preemptions: those that the search finds against those of all interleavings.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "src/strategy/dpor/preemption_search.h"
#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

// The least number of preemptions of every execution, by trying all schedules, those that come to
// the same state by the same happens-before with no fewer preemptions once.
class FewestPreemptions {
 public:
  explicit FewestPreemptions(const Program& program, uint32_t most)
      : program_(program), most_(most) {
    explore(-1, 0);
  }
  std::map<std::string, uint32_t> of_traces;

 private:
  struct Step {
    int thread;
    uint32_t choice;
  };

  void explore(int current, uint32_t spent) {
    Machine machine(program_);
    for (const Step& step : path_) machine.step(step.thread, step.choice);
    const std::string trace = trace_of(machine);
    const auto [seen, is_new] = seen_.emplace(trace + std::to_string(current), spent);
    if (!is_new && seen->second <= spent) return;
    seen->second = spent;
    if (!machine.is_any_enabled()) {
      const auto [known, is_first] = of_traces.emplace(trace, spent);
      if (known->second > spent) known->second = spent;
    }
    for (int t = 0; t < machine.threads(); ++t) {
      if (!machine.is_enabled(t)) continue;
      const bool preempts = t != current && current >= 0 && machine.is_enabled(current);
      if (spent + preempts > most_) continue;
      for (uint32_t choice = 0; choice < machine.alternatives(t); ++choice) {
        path_.push_back({t, choice});
        explore(t, spent + preempts);
        path_.pop_back();
      }
    }
  }

  const Program& program_;
  const uint32_t most_;
  std::vector<Step> path_;
  std::unordered_map<std::string, uint32_t> seen_;
};

struct Bounded {
  std::set<std::string> traces;
  uint64_t executions = 0, runs = 0;
  bool is_everything = false;
  dpor::Trouble trouble = dpor::Trouble::none;
};

void run_bounded(const Program& program, dpor::PreemptionSearch& search,
                 std::set<std::string>& traces) {
  Machine machine(program);
  if (run_with(machine, search)) traces.insert(trace_of(machine));
}

Bounded with_preemptions(const Program& program, uint32_t bound) {
  static dpor::PreemptionSearch search;
  search.restart();
  search.set_bound(bound);
  Bounded found;
  do {
    run_bounded(program, search, found.traces);
  } while (search.end_run());
  found.executions = search.runs();
  found.runs = search.runs_made();
  found.is_everything = search.is_everything();
  found.trouble = search.trouble();
  return found;
}

constexpr uint32_t kMostPreemptions = 3;
constexpr uint32_t kUnlimited = 1000;

class FewPreemptions : public testing::TestWithParam<Drawn> {};

TEST_P(FewPreemptions, AreThoseOfAllInterleavings) {
  const Drawn& drawn = GetParam();
  const uint64_t programs = how_many(drawn.programs);
  uint64_t runs = 0, executions = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    Generator generator(seed, drawn.kinds);
    std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
    const Program program = program_of(codes, generator, drawn.kinds);
    const FewestPreemptions oracle(program, kUnlimited);
    uint32_t needed = 0;
    for (const auto& [trace, fewest] : oracle.of_traces) needed = std::max(needed, fewest);
    for (uint32_t bound = 0; bound <= kMostPreemptions; ++bound) {
      std::set<std::string> expected;
      for (const auto& [trace, fewest] : oracle.of_traces) {
        if (fewest <= bound) expected.insert(trace);
      }
      const Bounded found = with_preemptions(program, bound);
      const std::string where = std::string(drawn.name) + " " + std::to_string(seed) +
                                ", preemptions " + std::to_string(bound) + "\n" + text_of(codes);
      ASSERT_EQ(found.trouble, dpor::Trouble::none) << where;
      ASSERT_EQ(found.traces, expected) << where;
      ASSERT_EQ(found.executions, expected.size()) << where;
      if (found.is_everything) {
        ASSERT_LE(needed, bound) << where;
      }
      runs += found.runs;
      executions += found.executions;
    }
  }
  RecordProperty("executions", std::to_string(executions));
  RecordProperty("runs", std::to_string(runs));
}

INSTANTIATE_TEST_SUITE_P(Dpor, FewPreemptions, testing::ValuesIn(drawn_of_all_kinds(200, 300)));

}  // namespace
}  // namespace jostle::dpor_machine
