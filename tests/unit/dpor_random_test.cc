// SPDX-License-Identifier: Apache-2.0
// The reduced search against all interleavings of random programs: the same executions, each once.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

struct Class {
  const char* name;
  uint32_t kinds;
  int threads, most;
  uint64_t programs;
};

void PrintTo(const Class& drawn, std::ostream* to) { *to << drawn.name; }

class RandomPrograms : public testing::TestWithParam<Class> {};

TEST_P(RandomPrograms, HaveTheExecutionsOfAllInterleavingsEachOnce) {
  const Class& drawn = GetParam();
  const uint64_t programs = is_long() ? drawn.programs * 10 : drawn.programs / (kIsSlow ? 10 : 1);
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

constexpr uint32_t kAll = 0x1FF;

INSTANTIATE_TEST_SUITE_P(
    Dpor, RandomPrograms,
    testing::Values(Class{"memory", 0, 3, 3, 300}, Class{"locks", Generator::locks, 3, 4, 300},
                    Class{"shared locks", Generator::shared_locks, 3, 4, 300},
                    Class{"shared locks, four threads", Generator::shared_locks, 4, 2, 200},
                    Class{"semaphores", Generator::semaphores, 3, 4, 300},
                    Class{"conditions", Generator::conditions, 3, 4, 300},
                    Class{"time-outs", Generator::conditions | Generator::time_outs, 3, 4, 300},
                    Class{"awaits", Generator::awaits, 3, 4, 300},
                    Class{"barriers", Generator::barriers, 3, 4, 300},
                    Class{"choices", Generator::choices, 3, 2, 300},
                    Class{"creation", Generator::creation | Generator::locks, 3, 4, 300},
                    Class{"everything", kAll, 3, 4, 500},
                    Class{"everything, four threads", kAll, 4, 2, 300},
                    Class{"everything, two threads", kAll, 2, 7, 500}));

}  // namespace
}  // namespace jostle::dpor_machine
