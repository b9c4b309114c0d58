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
  for (uint32_t i = 0; i < count; ++i)
    run->schedule.choices[i] = {ChoiceKind::ready, {}, 2, 0, 0, 0};
  return run;
}

constexpr uint64_t kBoth[] = {kPipe, kSocket};

uint32_t choose_ready(Decider* hold, const uint64_t* names, uint32_t count, bool may_stop) {
  return hold->choose({ChoiceKind::ready, count + may_stop, names, count});
}
uint32_t choose_late(Decider* hold, const uint64_t* names, uint32_t count, uint32_t alternatives) {
  return hold->choose({ChoiceKind::late, alternatives, names, count});
}

// In a run that has told of the socket, and holds the pipe, which would have been first.
Decider* holding_the_pipe() {
  Strategy* hold = make_strategy("hold");
  hold->after_run(*run_with_questions(3));
  Decider* run = hold->begin_run({1}).decider;
  EXPECT_EQ(choose_ready(run, kBoth, 2, false), 1u);
  return run;
}

TEST(Hold, FirstHoldsWhatWouldBeToldFirst) {
  Decider* hold = holding_the_pipe();
  // Of the pipe alone the loop is not told while it may be told of nothing …
  const uint64_t rest[] = {kPipe};
  EXPECT_EQ(choose_ready(hold, rest, 1, true), 1u);
  EXPECT_EQ(choose_late(hold, rest, 1, 3), 2u);
  // … and others go first, whenever they become ready.
  const uint64_t with_timer[] = {kPipe, kTimer};
  EXPECT_EQ(choose_late(hold, with_timer, 2, 3), 0u);
  EXPECT_EQ(choose_ready(hold, with_timer, 2, true), 1u);
}

// The first place is another worker's.
TEST(Hold, ItsPlacesCanBeDivided) {
  Strategy* hold = make_strategy("hold", {.part = 1, .parts = 2});
  hold->after_run(*run_with_questions(3));
  Decider* run = hold->begin_run({1}).decider;
  EXPECT_EQ(choose_ready(run, kBoth, 2, false), 0u);
  EXPECT_EQ(choose_ready(run, kBoth, 2, false), 1u);
}

TEST(Hold, WhatMustBeToldIsHeldNoLonger) {
  Decider* hold = holding_the_pipe();
  const uint64_t rest[] = {kPipe};
  EXPECT_EQ(choose_late(hold, rest, 1, 2), 0u);  // passed over too often
  EXPECT_EQ(choose_ready(hold, kBoth, 2, true), 0u);
}

TEST(Hold, EveryPlaceOnce) {
  Strategy* hold = make_strategy("hold");
  constexpr uint32_t kPlaces = 10;
  const auto run = run_with_questions(kPlaces);
  hold->after_run(*run);
  std::set<uint32_t> places;
  const uint64_t two[] = {kPipe, kSocket};
  for (uint64_t seed = 0; seed < kPlaces; ++seed) {
    Decider* run_now = hold->begin_run({seed}).decider;
    std::vector<uint32_t> deviations;
    for (uint32_t place = 0; place < kPlaces; ++place) {
      // Fresh names, so that what was held is not asked about again.
      const uint64_t names[] = {two[0] + 100 * place, two[1] + 100 * place};
      if (choose_ready(run_now, names, 2, false) != 0) deviations.push_back(place);
    }
    ASSERT_EQ(deviations.size(), 1u) << "run " << seed;
    places.insert(deviations[0]);
    hold->after_run(*run);
  }
  EXPECT_EQ(places.size(), kPlaces);
  // Then several at a time.
  bool several = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Decider* run_now = hold->begin_run({seed}).decider;
    uint32_t deviations = 0;
    for (uint32_t place = 0; place < kPlaces; ++place) {
      const uint64_t names[] = {two[0] + 100 * place, two[1] + 100 * place};
      deviations += choose_ready(run_now, names, 2, false) != 0;
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
  run->schedule.choices[0] = {ChoiceKind::late, {}, 3, 0, 0, 0};
  run->schedule.choices[1] = {ChoiceKind::ready, {}, 2, 0, 0, 0};
  run->schedule.choices[2] = {ChoiceKind::late, {}, 3, 0, 0, 0};
  hold->after_run(*run);
  const uint64_t two[] = {kPipe, kSocket};
  const uint64_t one[] = {kTimer};
  std::set<uint32_t> seen;
  for (uint64_t seed = 0; seed < 2; ++seed) {
    Decider* run_now = hold->begin_run({seed}).decider;
    EXPECT_EQ(choose_late(run_now, two, 2, 3), 0u);
    const bool first = choose_ready(run_now, two, 2, false) == 1;
    const bool second = choose_late(run_now, one, 1, 3) == 2;
    EXPECT_NE(first, second);
    seen.insert(first);
  }
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace jostle
