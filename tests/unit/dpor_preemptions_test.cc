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
  search.begin_run();
  std::vector<dpor::Thread> enabled;
  dpor::Thread current = kNone;
  while (machine.is_any_enabled()) {
    enabled.clear();
    for (int t = 0; t < machine.threads(); ++t) {
      if (machine.is_enabled(t)) enabled.push_back(static_cast<dpor::Thread>(t));
    }
    current = search.next(enabled.data(), static_cast<uint32_t>(enabled.size()), current);
    if (current == kNone) return;
    const uint32_t alternatives = machine.alternatives(static_cast<int>(current));
    const uint32_t choice = alternatives > 1 ? search.choice(current, 0, alternatives) : 0;
    machine.step(static_cast<int>(current), choice);
    search.executed(action_of(machine.records().back()));
    for (const Record& record : machine.taken_away()) search.taken_away(action_of(record));
  }
  for (int t = 0; t < machine.threads(); ++t) {
    if (!machine.waits(t)) continue;
    const Record record = machine.pending(t);
    search.blocked(action_of(record));
  }
  traces.insert(trace_of(machine));
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

struct Kinds {
  const char* name;
  uint32_t kinds;
  int threads, most;
  uint64_t programs;
};

void PrintTo(const Kinds& drawn, std::ostream* to) { *to << drawn.name; }

class FewPreemptions : public testing::TestWithParam<Kinds> {};

TEST_P(FewPreemptions, AreThoseOfAllInterleavings) {
  const Kinds& drawn = GetParam();
  const uint64_t programs = is_long() ? drawn.programs * 10 : drawn.programs / (kIsSlow ? 10 : 1);
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

constexpr uint32_t kAll = 0x1FF;

INSTANTIATE_TEST_SUITE_P(
    Dpor, FewPreemptions,
    testing::Values(Kinds{"memory", 0, 3, 3, 200}, Kinds{"locks", Generator::locks, 3, 4, 200},
                    Kinds{"shared locks", Generator::shared_locks, 3, 4, 200},
                    Kinds{"semaphores", Generator::semaphores, 3, 4, 200},
                    Kinds{"conditions", Generator::conditions, 3, 4, 200},
                    Kinds{"time-outs", Generator::conditions | Generator::time_outs, 3, 4, 200},
                    Kinds{"awaits", Generator::awaits, 3, 4, 200},
                    Kinds{"barriers", Generator::barriers, 3, 4, 200},
                    Kinds{"choices", Generator::choices, 3, 2, 200},
                    Kinds{"creation", Generator::creation | Generator::locks, 3, 4, 200},
                    Kinds{"everything", kAll, 3, 4, 300},
                    Kinds{"everything, four threads", kAll, 4, 2, 200},
                    Kinds{"everything, two threads", kAll, 2, 7, 300}));

}  // namespace
}  // namespace jostle::dpor_machine
