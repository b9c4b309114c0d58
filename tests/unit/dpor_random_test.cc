// SPDX-License-Identifier: Apache-2.0
// The reduced search against all interleavings of random programs: the same executions, each once.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

class RandomPrograms : public testing::TestWithParam<Drawn> {};

TEST_P(RandomPrograms, HaveTheExecutionsOfAllInterleavingsEachOnce) {
  const Drawn& drawn = GetParam();
  const uint64_t programs = how_many(drawn.programs);
  uint64_t deadlocks = 0, executions = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    Generator generator(seed, drawn.kinds);
    std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
    const Program program = program_of(codes, generator, drawn.kinds);
    const Oracle oracle = all_interleavings(program);
    const Counts counts = reduced(program, true);
    const std::string where =
        std::string(drawn.name) + " " + std::to_string(seed) + "\n" + text_of(codes);
    ASSERT_TRUE(oracle.dependence_is_sound) << where;
    ASSERT_EQ(counts.trouble, dpor::Trouble::none) << where;
    ASSERT_EQ(counts.sleep_blocked, 0u) << where;
    ASSERT_EQ(counts.redundant, 0u) << where;
    ASSERT_EQ(counts.all(), oracle.traces.size()) << where;
    ASSERT_EQ(counts.traces, oracle.traces) << where;
    ASSERT_EQ(counts.deadlocks, oracle.deadlocks) << where;
    deadlocks += counts.deadlocks;
    executions += counts.all();
  }
  RecordProperty("executions", std::to_string(executions));
  RecordProperty("deadlocks", std::to_string(deadlocks));
}

// Values with which an await goes on are not known before they were tried.
TEST(DporRandom, AwaitsWhoseConditionsAreLearned) {
  for (const Drawn& drawn : drawn_with_awaits(300)) {
    for (uint64_t seed = 1; seed <= how_many(drawn.programs); ++seed) {
      Generator generator(seed, drawn.kinds);
      std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
      const Program program = program_of(codes, generator, drawn.kinds);
      const Oracle oracle = all_interleavings(program);
      const Counts counts = reduced_by_learning(program);
      const std::string where =
          std::string(drawn.name) + " " + std::to_string(seed) + "\n" + text_of(codes);
      ASSERT_EQ(counts.trouble, dpor::Trouble::none) << where;
      ASSERT_EQ(counts.redundant, 0u) << where;
      ASSERT_EQ(counts.traces, oracle.traces) << where;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dpor, RandomPrograms, testing::ValuesIn(drawn_of_all_kinds(300, 500)));

}  // namespace
}  // namespace jostle::dpor_machine
