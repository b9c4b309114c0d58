// SPDX-License-Identifier: Apache-2.0
// One callback as late as may be: what the strategy answers an event loop's questions.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "src/strategy/strategy.h"

namespace jostle {
namespace {

constexpr uint64_t kPipe = 11, kTimer = 22, kSocket = 33;

// A record of a run in which a loop was asked so often which of two comes first.
std::unique_ptr<channel::RunRecord> run_with_questions(uint32_t count) {
  auto run = std::make_unique<channel::RunRecord>();
  run->schedule.choice_count = count;
  for (uint32_t i = 0; i < count; ++i) run->schedule.choices[i] = {ChoiceKind::ready, {}, 2, 0};
  return run;
}

constexpr uint64_t kBoth[] = {kPipe, kSocket};

// In a run that has told of the socket, and holds the pipe, which would have been first.
Strategy* holding_the_pipe() {
  Strategy* hold = make_strategy("hold");
  hold->after_run(*run_with_questions(3));
  hold->begin(1);
  EXPECT_EQ(hold->choose_ready(kBoth, 2, false), 1u);
  return hold;
}

TEST(Hold, FirstHoldsWhatWouldBeToldFirst) {
  Strategy* hold = holding_the_pipe();
  // Of the pipe alone the loop is not told while it may be told of nothing …
  const uint64_t rest[] = {kPipe};
  EXPECT_EQ(hold->choose_ready(rest, 1, true), 1u);
  EXPECT_EQ(hold->choose_late(rest, 1, 3), 2u);
  // … and others go first, whenever they become ready.
  const uint64_t with_timer[] = {kPipe, kTimer};
  EXPECT_EQ(hold->choose_late(with_timer, 2, 3), 0u);
  EXPECT_EQ(hold->choose_ready(with_timer, 2, true), 1u);
}

TEST(Hold, WhatMustBeToldIsHeldNoLonger) {
  Strategy* hold = holding_the_pipe();
  const uint64_t rest[] = {kPipe};
  EXPECT_EQ(hold->choose_late(rest, 1, 2), 0u);  // passed over too often
  EXPECT_EQ(hold->choose_ready(kBoth, 2, true), 0u);
}

TEST(Hold, EveryPlaceOnce) {
  Strategy* hold = make_strategy("hold");
  constexpr uint32_t kPlaces = 10;
  const auto run = run_with_questions(kPlaces);
  hold->after_run(*run);
  std::set<uint32_t> places;
  const uint64_t two[] = {kPipe, kSocket};
  for (uint64_t seed = 0; seed < kPlaces; ++seed) {
    hold->begin(seed);
    std::vector<uint32_t> deviations;
    for (uint32_t place = 0; place < kPlaces; ++place) {
      // Fresh names, so that what was held is not asked about again.
      const uint64_t names[] = {two[0] + 100 * place, two[1] + 100 * place};
      if (hold->choose_ready(names, 2, false) != 0) deviations.push_back(place);
    }
    ASSERT_EQ(deviations.size(), 1u) << "run " << seed;
    places.insert(deviations[0]);
    hold->after_run(*run);
  }
  EXPECT_EQ(places.size(), kPlaces);
  // Then several at a time.
  bool several = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    hold->begin(seed);
    uint32_t deviations = 0;
    for (uint32_t place = 0; place < kPlaces; ++place) {
      const uint64_t names[] = {two[0] + 100 * place, two[1] + 100 * place};
      deviations += hold->choose_ready(names, 2, false) != 0;
    }
    EXPECT_LE(deviations, 3u);
    several |= deviations > 1;
  }
  EXPECT_TRUE(several);
}

// Whether a timer comes first is a place only where that is all there is to ask.
TEST(Hold, CountsLateAndReadyAsOnePlace) {
  Strategy* hold = make_strategy("hold");
  auto run = std::make_unique<channel::RunRecord>();
  run->schedule.choice_count = 3;
  run->schedule.choices[0] = {ChoiceKind::late, {}, 3, 0};
  run->schedule.choices[1] = {ChoiceKind::ready, {}, 2, 0};
  run->schedule.choices[2] = {ChoiceKind::late, {}, 3, 0};
  hold->after_run(*run);
  const uint64_t two[] = {kPipe, kSocket};
  const uint64_t one[] = {kTimer};
  std::set<uint32_t> seen;
  for (uint64_t seed = 0; seed < 2; ++seed) {
    hold->begin(seed);
    EXPECT_EQ(hold->choose_late(two, 2, 3), 0u);
    const bool first = hold->choose_ready(two, 2, false) == 1;
    const bool second = hold->choose_late(one, 1, 3) == 2;
    EXPECT_NE(first, second);
    seen.insert(first);
  }
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace jostle
