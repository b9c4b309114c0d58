// SPDX-License-Identifier: Apache-2.0
// Runs directed by what the program compares: src/strategy/compare/directed.cc.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "src/strategy/compare/choice_solver.h"
#include "src/strategy/strategy.h"
#include "tests/unit/model_program.h"

namespace jostle {
namespace {

// Threads that count variables up, and one that looks at the variables one after the other and
// compares what it saw: a model of programs whose bug is behind exact values.
class Counters {
 public:
  Counters(uint32_t variables, uint64_t most, std::vector<uint64_t> wanted)
      : variables_(variables), most_(most), wanted_(std::move(wanted)) {}

  // How many runs until the last thread has seen all that is wanted.
  uint64_t runs_until_seen(Strategy& strategy, uint64_t most_runs) {
    for (uint64_t run = 1; run <= most_runs; ++run) {
      const bool seen = run_once(strategy, run);
      strategy.after_run(record());
      if (seen) return run;
    }
    return most_runs + 1;
  }

 private:
  static uint64_t location(uint32_t variable) { return 0x1000 + 8 * variable; }

  Operation next_of(ThreadId id) const {
    const bool looks = id == variables_;
    const auto variable = static_cast<uint32_t>(looks ? steps_[id] : id);
    Operation op{looks ? OpKind::atomic_load : OpKind::atomic_store, 4, location(variable), 0};
    op.name = op.object;
    op.site = looks ? 500 + variable : variable;
    return op;
  }

  bool run_once(Strategy& strategy, uint64_t seed) {
    channel::RunRecord& run = record();
    run.comparison_count = run.schedule.choice_count = run.schedule.segment_count = 0;
    run.new_features = run.new_reads_from = run.newly_shared = 0;
    run.log_overflow = 0;
    run.schedule.thread_count = variables_ + 1;
    values_.assign(variables_, 0);
    steps_.assign(variables_ + 1, 0);
    Decider& decider = *strategy.begin_run({seed}).decider;
    for (ThreadId id = 1; id <= variables_; ++id) decider.thread_created(0, id);
    std::vector<uint64_t> seen;
    for (;;) {
      EnabledSet enabled;
      for (ThreadId id = 0; id < variables_; ++id) {
        if (steps_[id] < most_) enabled.insert(id);
      }
      if (steps_[variables_] < variables_) enabled.insert(variables_);
      if (enabled.count() == 0) break;
      pending_.clear();
      for (ThreadId id = 0; id <= variables_; ++id) pending_.push_back(next_of(id));
      std::vector<const Operation*> operations;
      for (const Operation& op : pending_) operations.push_back(&op);
      const View view{&enabled,      0,       this,    operations.data(), steps_of, nullptr,
                      last_write_of, path_of, value_of};
      const ThreadId id = enabled.count() == 1 ? enabled.nth(0) : decider.pick(view);
      decider.executed(view, id, pending_[id]);
      if (id == variables_) {
        seen.push_back(values_[steps_[id]]);
      } else {
        values_[id] = steps_[id] + 1;
      }
      ++steps_[id];
    }
    return compare(seen, run);
  }

  // if (seen[0] == wanted[0] && seen[1] == …)
  bool compare(const std::vector<uint64_t>& seen, channel::RunRecord& run) {
    for (uint32_t i = 0; i < variables_; ++i) {
      run.new_features += reached_.insert(i).second;
      if (seen[i] == wanted_[i]) continue;
      run.comparisons[run.comparison_count++] = {900 + i,     wanted_[i], seen[i], 4, 1,
                                                 location(i), 500 + i,    4,       0};
      return false;
    }
    return true;
  }

  static uint64_t steps_of(void* source, ThreadId id) {
    return static_cast<Counters*>(source)->steps_[id];
  }
  static uint64_t last_write_of(void*, ThreadId) { return 0; }
  static uint64_t path_of(void*, ThreadId id) { return uint64_t{id} + 1; }
  static uint64_t value_of(void* source, ThreadId id) {
    auto& self = *static_cast<Counters*>(source);
    return self.values_[(self.pending_[id].object - 0x1000) / 8];
  }

  uint32_t variables_;
  uint64_t most_;
  std::vector<uint64_t> wanted_;
  std::vector<uint64_t> values_, steps_;
  std::vector<Operation> pending_;
  std::set<uint32_t> reached_;
};

TEST(Directed, ReadsSeeWhatTheyAreComparedWithHoweverManySchedulesThereAre) {
  for (const uint64_t n : {10, 100, 1000}) {
    for (const char* strategy : {"directed", "portfolio"}) {
      Counters program(2, n, {n / 2, n / 2});
      EXPECT_LT(program.runs_until_seen(*make_strategy(strategy), 1000), 100u) << n;
      // It need not be the first to reach the code behind the first condition.
      EXPECT_LT(program.runs_until_seen(*make_strategy(strategy), 1000), 100u) << n;
    }
  }
}

TEST(Directed, OneConditionAfterTheOther) {
  Counters program(4, 50, {49, 3, 20, 31});
  EXPECT_LT(program.runs_until_seen(*make_strategy("directed"), 2000), 400u);
}

TEST(Directed, SamplingAloneDoesNotFindIt) {
  Counters program(4, 50, {49, 3, 20, 31});
  EXPECT_GT(program.runs_until_seen(*make_strategy("pos"), 2000), 2000u);
}

// ---- what the program draws by itself
// -------------------------------------------------------------

// Draws one number below `alternatives` for each of the wanted ones, and compares 3 * number + 7
// with it.
void run_draws(const std::vector<uint32_t>& picked, const std::vector<uint64_t>& wanted,
               uint32_t alternatives) {
  channel::RunRecord& run = record();
  run.comparison_count = run.schedule.choice_count = run.schedule.segment_count = 0;
  run.log_overflow = 0;
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    run.schedule.choices[run.schedule.choice_count++] = {ChoiceKind::target, {}, alternatives,
                                                         picked[i],          0,  0};
    const uint64_t value = 3 * picked[i] + 7;
    if (value == wanted[i]) continue;
    run.comparisons[run.comparison_count++] = {100 + i, value, wanted[i], 4, 0, 0, 0, 0, 0};
  }
}

TEST(ChoiceSolver, DrawsThatAreComparedInAStraightLineAreSolved) {
  const std::vector<uint64_t> wanted = {3 * 17 + 7, 3 * 900 + 7, 3 * 1 + 7};
  ChoiceSolver solver;
  run_draws({5, 999, 0}, wanted, 1000);
  solver.go_on_from(record());
  GuideLog log;
  uint64_t runs = 0;
  for (; solver.has_task() && record().comparison_count; ++runs) {
    solver.begin(log);
    run_draws({log.choices[0].picked, log.choices[1].picked, log.choices[2].picked}, wanted, 1000);
    solver.after_own_run(record());
  }
  EXPECT_EQ(record().comparison_count, 0u);
  EXPECT_LT(runs, 30u);
}

TEST(ChoiceSolver, WhatCannotBeDrawnIsLeftAlone) {
  ChoiceSolver solver;
  run_draws({5}, {3 * 2000 + 7}, 1000);
  solver.go_on_from(record());
  GuideLog log;
  uint64_t runs = 0;
  for (; solver.has_task() && runs < 100; ++runs) {
    solver.begin(log);
    ASSERT_LT(log.choices[0].picked, 1000u);
    run_draws({log.choices[0].picked}, {3 * 2000 + 7}, 1000);
    solver.after_own_run(record());
  }
  EXPECT_LT(runs, 10u);
}

}  // namespace
}  // namespace jostle
