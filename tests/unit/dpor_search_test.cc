// SPDX-License-Identifier: Apache-2.0
// The reduced search besides its counts: dependence, estimates, runs made elsewhere, programs that
// do not keep their word.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "src/strategy/dpor/reduced_search.h"
#include "tests/unit/dpor_oracle.h"

namespace jostle::dpor_machine {
namespace {

using dpor::Mode;
using dpor::Trouble;

TEST(DporFootprint, OnlyWhatSharesAnObjectAndDoesNotCommuteIsDependent) {
  dpor::FootprintTable table;
  const auto of = [&](std::vector<dpor::Part> parts, bool took_effect = true) {
    for (dpor::Part& part : parts) part.took_effect = took_effect;
    return table.of(parts.data(), static_cast<uint32_t>(parts.size()));
  };
  const auto reads = of({{1, Act::read}});
  const auto writes = of({{1, Act::write}});
  EXPECT_FALSE(table.dependent(reads, reads));
  EXPECT_TRUE(table.dependent(reads, writes));
  EXPECT_TRUE(table.dependent(writes, writes));
  EXPECT_FALSE(table.dependent(writes, of({{2, Act::write}})));
  EXPECT_TRUE(table.dependent(reads, of({{2, Act::read}, {1, Act::write}})));
  EXPECT_FALSE(table.dependent(reads, of({{1, Act::update}}, false)));
  EXPECT_FALSE(table.dependent(of({{3, Act::try_lock}}, false), of({{3, Act::try_lock}}, false)));
  EXPECT_TRUE(table.dependent(of({{3, Act::try_lock}}, false), of({{3, Act::unlock}})));
  EXPECT_FALSE(table.dependent(of({{4, Act::post}}), of({{4, Act::post}})));
  EXPECT_TRUE(table.dependent(of({{4, Act::post}}), of({{4, Act::take}})));
  EXPECT_FALSE(table.dependent(of({{5, Act::share}}), of({{5, Act::unshare}})));
  EXPECT_FALSE(table.dependent(of({}), writes));
}

TEST(DporFootprint, IsTheSameForTheSameParts) {
  dpor::FootprintTable table;
  std::vector<dpor::Footprint> first;
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 1000; ++i) {
      const dpor::Part parts[] = {{i, Act::write, round ? 7u : 8u}, {i + 1, Act::read}};
      const dpor::Footprint found = table.of(parts, 1 + i % 2);
      if (round == 0) {
        first.push_back(found);
      } else {
        EXPECT_EQ(found, first[i]);
      }
    }
  }
  EXPECT_EQ(std::set<dpor::Footprint>(first.begin(), first.end()).size(), 1000u);
}

Program plain_increments(int n) {
  Program program;
  for (int i = 0; i < n; ++i) {
    program.threads.push_back([]() -> Task {
      const int64_t r = co_await load(0);
      co_await store(0, r + 1);
    });
  }
  return program;
}

TEST(DporSearch, EstimatesComeCloser) {
  const Counts counts = reduced(plain_increments(4));
  ASSERT_EQ(counts.all(), 576u);
  for (size_t run = 0; run < counts.estimates.size(); ++run) {
    EXPECT_GE(counts.estimates[run], static_cast<double>(run + 1));
    if (run >= 288) {
      EXPECT_LT(counts.estimates[run], 3 * 576.0);
    }
  }
  EXPECT_EQ(counts.estimates.back(), 576.0);
}

// What waits is often much smaller than what is finished: sleep sets grow. Halfway the estimate
// was ten thousand times too large.
TEST(DporSearch, EstimatesDoNotMultiplyWhatIsWrong) {
  Program program;
  for (int i = 0; i < 11; ++i) program.threads.push_back([]() -> Task { co_await load(0); });
  program.threads.push_back([]() -> Task { co_await store(0, 42); });
  const Counts counts = reduced(program);
  ASSERT_EQ(counts.all(), 2048u);
  for (size_t run = 204; run < counts.estimates.size(); ++run) {
    EXPECT_LT(counts.estimates[run], 12 * 2048.0);
    EXPECT_GT(counts.estimates[run], 2048.0 / 12);
  }
}

// Two searches: one decides the runs, the other is told of them afterwards.
TEST(DporSearch, GoesOnFromRunsThatWereMadeElsewhere) {
  Program program = plain_increments(3);
  program.threads.push_back([]() -> Task {
    const int64_t r = co_await choose(3);
    co_await store(1, r);
  });
  dpor::ReducedSearch here, elsewhere;
  Counts counts;
  bool has_more = true;
  while (has_more) {
    run_once(program, elsewhere, counts, true);
    const dpor::RunEvents& made = elsewhere.events();
    here.begin_run();
    for (uint32_t event = 0; event < made.size(); ++event) {
      const dpor::RunEvent& told = made[event];
      dpor::Action action = told.action;
      action.parts = made.parts(told);
      action.choices = made.choices(told);
      here.executed(action);
    }
    has_more = elsewhere.end_run();
    ASSERT_EQ(here.end_run(), has_more);
    ASSERT_EQ(here.estimate(), elsewhere.estimate());
  }
  EXPECT_EQ(here.trouble(), Trouble::none);
  EXPECT_EQ(here.runs(), 3 * 36u);
  EXPECT_EQ(counts.all(), 3 * 36u);
}

// Runs `program(n)` as the n-th run, until the search ends.
Trouble trouble_of(const std::function<Program(int)>& program) {
  dpor::ReducedSearch search;
  Counts counts;
  for (int n = 0; n == 0 || search.end_run(); ++n) run_once(program(n), search, counts, false);
  return search.trouble();
}

TEST(DporSearch, NoticesAThreadThatDoesSomethingElse) {
  const Trouble trouble = trouble_of([](int n) {
    Program program = plain_increments(2);
    program.threads.push_back([n]() -> Task { co_await store(n, 1); });
    program.threads.insert(program.threads.begin(), [n]() -> Task { co_await store(5 + n, 1); });
    return program;
  });
  EXPECT_EQ(trouble, Trouble::differs);
}

TEST(DporSearch, NoticesAThreadThatCannotRunAnyMore) {
  const Trouble trouble = trouble_of([](int n) {
    Program program = plain_increments(2);
    if (n > 0) program.created_later = {1};
    return program;
  });
  EXPECT_EQ(trouble, Trouble::not_enabled);
}

TEST(DporSearch, NoticesARunThatEndsTooEarly) {
  const Trouble trouble =
      trouble_of([](int n) { return n == 0 ? plain_increments(2) : Program{}; });
  EXPECT_EQ(trouble, Trouble::differs);
}

TEST(DporSearch, AProgramThatDoesNothingHasOneExecution) {
  const Counts counts = reduced(Program{{[]() -> Task { co_return; }}}, true);
  EXPECT_EQ(counts.all(), 1u);
  EXPECT_EQ(counts.trouble, Trouble::none);
}

}  // namespace
}  // namespace jostle::dpor_machine
