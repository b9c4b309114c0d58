// SPDX-License-Identifier: Apache-2.0
// Executions around one of them, against all interleavings and against races that are reversed by
// hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "src/strategy/dpor/neighbour_search.h"
#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

struct Around {
  std::set<std::string> traces;
  std::string middle;
  uint64_t executions = 0, runs = 0;
  bool is_everything = false;
  dpor::Trouble trouble = dpor::Trouble::none;
};

// A run in any order, of which the search is only told.
void run_middle(Machine& machine, dpor::NeighbourSearch& search, Rng& rng) {
  search.begin_run();
  while (machine.is_any_enabled()) {
    std::vector<int> enabled;
    for (int t = 0; t < machine.threads(); ++t) {
      if (machine.is_enabled(t)) enabled.push_back(t);
    }
    const int t = enabled[rng.below(enabled.size())];
    const uint32_t alternatives = machine.alternatives(t);
    machine.step(t, alternatives > 1 ? static_cast<uint32_t>(rng.below(alternatives)) : 0);
    search.executed(action_of(machine.records().back()));
    for (const Record& record : machine.taken_away()) search.taken_away(action_of(record));
  }
  for (int t = 0; t < machine.threads(); ++t) {
    if (!machine.waits(t)) continue;
    const Record record = machine.pending(t);
    search.blocked(action_of(record));
  }
}

Around around(const Program& program, uint32_t radius, uint64_t seed) {
  static const Conditions conditions;
  static dpor::NeighbourSearch search(&conditions);
  search.restart();
  search.set_radius(radius);
  Around found;
  Rng rng(seed);
  do {
    Machine machine(program);
    if (search.is_middle()) {
      run_middle(machine, search, rng);
      found.middle = trace_of(machine);
    } else if (!run_with(machine, search)) {
      continue;
    }
    found.traces.insert(trace_of(machine));
  } while (search.end_run());
  found.executions = search.runs();
  found.runs = search.runs_made();
  found.is_everything = search.is_everything();
  found.trouble = search.trouble();
  return found;
}

constexpr uint32_t kUnlimited = 1000;

class Neighbours : public testing::TestWithParam<Drawn> {};

TEST_P(Neighbours, AreAllExecutionsIfTheRadiusIsLarge) {
  const Drawn& drawn = GetParam();
  const uint64_t programs = how_many(drawn.programs);
  uint64_t runs = 0, executions = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    Generator generator(seed, drawn.kinds);
    std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
    const Program program = program_of(codes, generator, drawn.kinds);
    const Oracle oracle = all_interleavings(program);
    const std::string where =
        std::string(drawn.name) + " " + std::to_string(seed) + "\n" + text_of(codes);
    std::set<std::string> before;
    for (const uint32_t radius : {0u, 1u, 2u, kUnlimited}) {
      const Around found = around(program, radius, seed);
      ASSERT_EQ(found.trouble, dpor::Trouble::none) << where;
      ASSERT_EQ(found.executions, found.traces.size()) << where;
      ASSERT_TRUE(found.traces.count(found.middle)) << where;
      if (radius == 0) {
        ASSERT_EQ(found.executions, 1u) << where;
      }
      for (const std::string& trace : before) ASSERT_TRUE(found.traces.count(trace)) << where;
      for (const std::string& trace : found.traces)
        ASSERT_TRUE(oracle.traces.count(trace)) << where;
      // Never claimed where something is missing.
      if (found.is_everything) {
        ASSERT_EQ(found.traces, oracle.traces) << where << radius;
      }
      if (radius == kUnlimited) {
        ASSERT_TRUE(found.is_everything) << where;
      }
      before = found.traces;
      runs += found.runs;
      executions += found.executions;
    }
  }
  RecordProperty("executions", std::to_string(executions));
  RecordProperty("runs", std::to_string(runs));
}

INSTANTIATE_TEST_SUITE_P(Dpor, Neighbours, testing::ValuesIn(drawn_of_all_kinds(100, 200)));

// Races reversed by hand, in programs whose threads do the same whatever they read: all orders of
// such a program that keep each thread's own are runs.
class ByHand {
 public:
  ByHand(const Program& program, std::vector<int> middle) : program_(program) {
    rings.push_back({run(middle)});
    known_.insert(rings[0].begin()->first);
  }

  // One more ring: executions, each with one of its orders.
  void reverse_all() {
    std::map<std::string, std::vector<int>> ring;
    for (const auto& [trace, order] : rings.back()) {
      for (std::vector<int>& other : reversed(order)) {
        auto [name, found] = run(other);
        if (known_.insert(name).second) ring.emplace(name, found);
      }
    }
    rings.push_back(std::move(ring));
  }
  const std::set<std::string>& known() const { return known_; }

  std::vector<std::map<std::string, std::vector<int>>> rings;

 private:
  std::pair<std::string, std::vector<int>> run(const std::vector<int>& order) {
    Machine machine(program_);
    for (const int t : order) machine.step(t, 0);
    EXPECT_FALSE(machine.is_any_enabled());
    return {trace_of(machine), order};
  }

  std::vector<std::vector<int>> reversed(const std::vector<int>& order) {
    Machine machine(program_);
    for (const int t : order) machine.step(t, 0);
    const std::vector<Record>& records = machine.records();
    const size_t n = records.size();
    const auto depends = [&](size_t a, size_t b) {
      return order[a] == order[b] || !commute(records[a], records[b]);
    };
    std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
    for (size_t b = 0; b < n; ++b) {
      for (size_t a = b; a-- > 0;) {
        before[a][b] = depends(a, b);
        for (size_t c = a + 1; c < b && !before[a][b]; ++c) {
          before[a][b] = before[a][c] && before[c][b];
        }
      }
    }
    std::vector<std::vector<int>> all;
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = a + 1; b < n; ++b) {
        if (order[a] == order[b] || !depends(a, b)) continue;
        bool has_between = false;
        for (size_t c = a + 1; c < b; ++c) has_between |= before[a][c] && before[c][b];
        if (has_between) continue;
        std::vector<int> other;
        for (size_t c = 0; c < n; ++c) {
          if (c != a && !before[a][c]) other.push_back(order[c]);
        }
        other.push_back(order[b]);
        for (size_t c = a; c < n; ++c) {
          if (c != b && (c == a || before[a][c])) other.push_back(order[c]);
        }
        all.push_back(other);
      }
    }
    return all;
  }

  const Program& program_;
  std::set<std::string> known_;
};

TEST(NeighboursByHand, AreThoseOfReversedRaces) {
  uint64_t executions = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    std::vector<Code> codes(3);
    std::vector<int> order;
    for (int t = 0; t < 3; ++t) {
      const auto count = 1 + rng.below(3);
      for (uint64_t i = 0; i < count; ++i) {
        const int x = static_cast<int>(rng.below(2));
        codes[t].push_back({rng.below(2) ? load(x).op : rng.below(2) ? store(x, 1).op : add(x).op});
        order.push_back(t);
      }
    }
    Program program;
    for (const Code& code : codes) program.threads.push_back([&code] { return run(code); });
    static dpor::NeighbourSearch search;
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    ByHand by_hand(program, order);
    for (uint32_t radius = 0; radius < 4; ++radius) {
      if (radius > 0) by_hand.reverse_all();
      search.restart();
      search.set_radius(radius);
      std::set<std::string> traces;
      do {
        Machine machine(program);
        if (search.is_middle()) {
          search.begin_run();
          for (const int t : order) {
            machine.step(t, 0);
            search.executed(action_of(machine.records().back()));
          }
        } else {
          ASSERT_TRUE(run_with(machine, search));
        }
        traces.insert(trace_of(machine));
      } while (search.end_run());
      ASSERT_EQ(search.trouble(), dpor::Trouble::none);
      ASSERT_EQ(traces, by_hand.known()) << seed << " radius " << radius << "\n" << text_of(codes);
      ASSERT_EQ(search.runs(), traces.size());
      executions += traces.size();
    }
  }
  EXPECT_GT(executions, 5'000u);
}

TEST(NeighboursByHand, CountOneExecutionWhereNothingConflicts) {
  const std::vector<Code> codes = {{{load(0).op}, {store(1, 1).op}}, {{load(0).op}}};
  Program program;
  for (const Code& code : codes) program.threads.push_back([&code] { return run(code); });
  const Around found = around(program, 5, 1);
  EXPECT_EQ(found.executions, 1u);
  EXPECT_EQ(found.runs, 1u);
  EXPECT_TRUE(found.is_everything);
}

}  // namespace
}  // namespace jostle::dpor_machine
