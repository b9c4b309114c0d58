// SPDX-License-Identifier: Apache-2.0
// The reduced search (strategy/dpor/) over the model of weak memory: with what counts as dependent
// there, and without the alternatives that are left out, it meets every execution that all
// schedules and all choices lead to.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "src/strategy/dpor/prefix_order.h"
#include "src/strategy/dpor/reduced_search.h"
#include "tests/unit/litmus_explorer.h"
#include "tests/unit/litmus_program.h"
#include "tests/unit/litmus_random.h"
#include "tests/unit/litmus_table.h"
#include "tests/unit/long_tests.h"

namespace jostle::litmus {
namespace {

// What the runtime tells the search of atomic operations: runtime/memory/actions.cc.
constexpr uint64_t kFences = 1 << 20;
constexpr uint64_t floor_at(int location) { return 1000 + static_cast<uint64_t>(location); }

class Searched : public Explorer<ModelMemory> {
 public:
  using Explorer::Explorer;

  // Without it, all alternatives are tried everywhere.
  bool leaves_out = true;
  uint64_t runs = 0, redundant = 0;

  std::set<std::string> search() {
    dpor::ReducedSearch search;
    dpor::PrefixOrder past(search.footprints());
    bool has_more = true;
    while (has_more) {
      search.begin_run();
      past.begin_run();
      const size_t known = raised_.size();
      run(search, past);
      EXPECT_EQ(memory_.cut(), weak::Cut::none);
      if (raised_.size() == known) {
        has_more = search.end_run();
        continue;
      }
      search.restart();
      past.clear();
    }
    EXPECT_EQ(search.trouble(), dpor::Trouble::none);
    runs = search.runs();
    redundant = search.sleep_blocked_runs();
    return executions_;
  }

 private:
  // Locations at which a sequentially consistent load has changed what later ones may read: there
  // all of these depend on each other. Learned over the runs.
  std::set<int> raised_;

  void run(dpor::ReducedSearch& search, dpor::PrefixOrder& past) {
    State state = Explorer::run();
    const auto count = static_cast<uint32_t>(program_.threads.size());
    while (true) {
      std::vector<dpor::Thread> enabled;
      for (uint32_t t = 0; t < count; ++t) {
        if (state.at[t] < program_.threads[t].size()) enabled.push_back(t);
      }
      if (enabled.empty()) break;
      const dpor::Thread next =
          search.next(enabled.data(), static_cast<uint32_t>(enabled.size()), enabled.back());
      if (next == dpor::kNone) return;
      step(state, search, past, next);
    }
    if (!state.rejected) executions_.insert(state.graph.key(static_cast<int>(count)));
  }

  void step(State& state, dpor::ReducedSearch& search, dpor::PrefixOrder& past,
            dpor::Thread thread) {
    const auto t = static_cast<int>(thread);
    const Instruction op = program_.threads[thread][state.at[thread]];
    dpor::Action action;
    action.thread = thread;
    weak::Alternatives all = memory_.alternatives(t, op, expected_by(state, op));
    const bool is_sequential = op.order == Order::sequential;
    if (leaves_out && !is_sequential && all.count > 1) {
      const weak::History& history = memory_.find(op.location);
      for (uint32_t i = 0; i < history.count; ++i) {
        const weak::Store& store = history.at(i);
        if (store.serial == history.latest && !past.precedes(store.origin.step, action)) {
          weak::WeakMemory::leave_out_before_latest(history, all, op.kind == Kind::store);
          break;
        }
      }
    }
    dpor::Choice choice = {all.count, 0, true};
    if (all.count > 1) {
      choice.taken = search.choice(thread, 0, all.count);
      action.choices = &choice;
      action.choice_count = 1;
    }
    execute(state, {t, all.position[choice.taken]});
    run_on(state, t);
    const std::vector<dpor::Part> parts = parts_of(op, state.graph.events.back());
    action.parts = parts.data();
    action.part_count = static_cast<uint32_t>(parts.size());
    search.executed(action);
    past.add(action, search.footprints()->of(action.parts, action.part_count), dpor::kNoChoice);
  }

  std::vector<dpor::Part> parts_of(const Instruction& op, const Event& event) {
    const bool is_sequential = op.order == Order::sequential;
    std::vector<dpor::Part> parts;
    if (op.kind == Kind::fence) {
      if (is_sequential) parts.push_back({kFences, Act::write});
      return parts;
    }
    const auto location = static_cast<uint64_t>(op.location);
    parts.push_back({location, op.kind == Kind::load    ? Act::read
                               : op.kind == Kind::store ? Act::write
                                                        : Act::update});
    if (!is_sequential) return parts;
    parts.push_back({kFences, Act::read});
    if (!event.writes && memory_.has_raised()) raised_.insert(op.location);
    if (raised_.count(op.location) != 0) parts.push_back({floor_at(op.location), Act::write});
    return parts;
  }
};

TEST(WeakSearch, MeetsAllExecutionsOfTheLitmusTests) {
  uint64_t runs = 0, executions = 0;
  for (const Row& row : kRows) {
    const Program program = Parser(row.program).parse();
    const std::set<std::string> expected = Explorer<ModelMemory>(program).executions();
    Searched reduced(program);
    EXPECT_EQ(reduced.search(), expected) << row.name;
    EXPECT_EQ(reduced.redundant, 0u) << row.name;
    runs += reduced.runs;
    executions += expected.size();
    if (expected.size() > 40) continue;  // too many to have them several times
    Searched full(program);
    full.leaves_out = false;
    EXPECT_EQ(full.search(), expected) << row.name;
    EXPECT_LE(reduced.runs, full.runs) << row.name;
  }
  EXPECT_LT(runs, executions * 6 / 5);
}

TEST(WeakSearch, MeetsAllExecutionsOfRandomPrograms) {
  for (uint64_t seed = 0; seed < (test::is_long() ? 3000u : 500u); ++seed) {
    const Program program = RandomProgram(seed).make();
    const std::set<std::string> expected = Explorer<ModelMemory>(program).executions();
    ASSERT_EQ(Searched(program).search(), expected) << seed;
    if (expected.size() > 12) continue;
    Searched full(program);
    full.leaves_out = false;
    ASSERT_EQ(full.search(), expected) << seed;
  }
}

// Three threads, of which each has more to do: where sequences are planned that are longer.
TEST(WeakSearch, MeetsAllExecutionsOfLongerPrograms) {
  uint64_t tried = 0;
  const uint64_t programs = test::is_long() ? 300 : 100;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const Program program = RandomProgram(seed).make(3, 4, 2);
    Searched reduced(program);
    const std::set<std::string> found = reduced.search();
    if (reduced.runs > 3000) continue;  // the other way takes long
    ++tried;
    ASSERT_EQ(found, Explorer<ModelMemory>(program).executions()) << seed;
  }
  EXPECT_GT(tried, programs / 3);
}

}  // namespace
}  // namespace jostle::litmus
