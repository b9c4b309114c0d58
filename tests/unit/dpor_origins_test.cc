// SPDX-License-Identifier: Apache-2.0
// By reversing a race of which earlier execution each one was found, for who draws it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "src/strategy/dpor/neighbour_search.h"
#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

struct Ran {
  std::vector<Record> records;
  uint32_t origin = kNone;
  uint32_t origins_before = 0;  // planned by earlier runs
};

template <typename Search>
std::vector<Ran> runs_of(const Program& program, Search& search) {
  search.restart();
  search.keep_origins();
  std::vector<Ran> runs;
  bool has_more = true;
  while (has_more) {
    Machine machine(program);
    const bool is_whole = run_with(machine, search);
    Ran ran{machine.records(), search.origin(), static_cast<uint32_t>(search.origins().size())};
    has_more = search.end_run();
    if (is_whole) runs.push_back(ran);
  }
  return runs;
}

// Which of the thread's own actions it is.
size_t ordinal(const std::vector<Record>& records, size_t event) {
  size_t before = 0;
  for (size_t i = 0; i < event; ++i) {
    before += records[i].action.thread == records[event].action.thread;
  }
  return before;
}

size_t find(const std::vector<Record>& records, dpor::Thread thread, size_t number) {
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].action.thread == thread && ordinal(records, i) == number) return i;
  }
  return records.size();
}

// Every run but the first comes of a race of an earlier one, whose two events have changed places.
template <typename Search>
void expect_reversals(const std::vector<Ran>& runs, const Search& search,
                      const std::string& where) {
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i == 0) {
      ASSERT_EQ(runs[i].origin, kNone) << where;
      continue;
    }
    ASSERT_LT(runs[i].origin, runs[i].origins_before) << where;
    size_t parent = i;
    while (runs[parent].origins_before > runs[i].origin) --parent;
    const dpor::EventPair pair = search.origins()[runs[i].origin];
    const std::vector<Record>& before = runs[parent].records;
    ASSERT_LT(pair.first, before.size()) << where;
    if (pair.second == kNone) {
      ASSERT_FALSE(before[pair.first].choices.empty()) << where;
      continue;
    }
    if (pair.second >= before.size()) continue;  // it waited, or was taken away
    const std::vector<Record>& now = runs[i].records;
    const dpor::Thread first = before[pair.first].action.thread;
    const dpor::Thread second = before[pair.second].action.thread;
    ASSERT_NE(first, second) << where;
    const size_t first_now = find(now, first, ordinal(before, pair.first));
    const size_t second_now = find(now, second, ordinal(before, pair.second));
    ASSERT_LT(second_now, now.size()) << where;
    ASSERT_LT(second_now, first_now) << where;
  }
}

class Origins : public testing::TestWithParam<Drawn> {};

TEST_P(Origins, AreReversedRacesOfEarlierRuns) {
  const Drawn& drawn = GetParam();
  static const Conditions conditions;
  static dpor::ReducedSearch reduced_search(&conditions);
  static dpor::NeighbourSearch neighbours(&conditions);
  neighbours.set_radius(2);
  for (uint64_t seed = 1; seed <= drawn.programs; ++seed) {
    Generator generator(seed, drawn.kinds);
    std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
    const Program program = program_of(codes, generator, drawn.kinds);
    const std::string where =
        std::string(drawn.name) + " " + std::to_string(seed) + "\n" + text_of(codes);
    expect_reversals(runs_of(program, reduced_search), reduced_search, where);
    expect_reversals(runs_of(program, neighbours), neighbours, "around " + where);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Dpor, Origins, testing::ValuesIn(drawn_of_all_kinds(50, 50)));

}  // namespace
}  // namespace jostle::dpor_machine
