// SPDX-License-Identifier: Apache-2.0
// Scenarios of operations as draws: small ones first, and smaller ones of a large one.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "src/minimize/algorithm/scenario_shrinker.h"
#include "src/schedule/draw.h"
#include "src/schedule/history/scenario_draws.h"
#include "src/strategy/inputs/small_scenarios.h"

namespace jostle {
namespace {

// Draws a scenario as <jostle/linearizable.hpp> does, of operations a, b, … with an argument each:
// "a|bc,a|" has a before, b and c by the first thread, a by the second, nothing after.
class Drawer {
 public:
  explicit Drawer(uint32_t kinds) : kinds_(kinds) {}

  template <typename Answer>
  std::string draw(Answer&& answer) {
    draws_->count = draws_->overflow = 0;
    std::string text = draw_part(answer, 0, 3) + "|";
    for (uint32_t n = 0; draw(answer, DrawKind::more_threads, n < 2, n < 3) != 0; ++n) {
      text += (n == 0 ? "" : ",") + draw_part(answer, 1, 3);
    }
    return text + "|" + draw_part(answer, 0, 2);
  }
  const channel::Draws& draws() const { return *draws_; }

 private:
  template <typename Answer>
  uint64_t draw(Answer&& answer, DrawKind kind, uint64_t low, uint64_t high) {
    channel::Draw asked{kind, {}, low, high, 0};
    asked.value = clamped(asked, answer(asked));
    draws_->list[draws_->count++] = asked;
    return asked.value;
  }
  template <typename Answer>
  std::string draw_part(Answer&& answer, uint64_t least, uint64_t most) {
    std::string text;
    for (uint64_t n = 0; draw(answer, DrawKind::more_operations, n < least, n < most) != 0; ++n) {
      text += static_cast<char>('a' + draw(answer, DrawKind::operation, 0, kinds_ - 1));
      draw(answer, DrawKind::signed_number, 0, 9);
    }
    return text;
  }

  uint32_t kinds_;
  std::unique_ptr<channel::Draws> draws_ = std::make_unique<channel::Draws>();
};

std::vector<std::string> small_ones(uint32_t kinds, uint32_t worker, uint32_t workers,
                                    uint64_t seed) {
  SmallScenarios small(worker, workers);
  Rng rng(seed);
  Drawer test(kinds);
  std::vector<std::string> all;
  while (small.next()) {
    all.push_back(test.draw([&](const channel::Draw& asked) {
      uint64_t value;
      return small.answer(asked, value) ? value : asked.low + rng.below(span_of(asked) + 1);
    }));
  }
  return all;
}

std::string side_by_side(const std::string& scenario) {
  const size_t first = scenario.find('|') + 1;
  return scenario.substr(first, scenario.rfind('|') - first);
}

TEST(SmallScenarios, AllPairsComeBeforeAllTriples) {
  const std::vector<std::string> all = small_ones(3, 0, 1, 1);
  std::set<std::string> pairs, triples;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string beside = side_by_side(all[i]);
    if (beside.size() == 3) {
      EXPECT_TRUE(triples.empty()) << all[i];
      pairs.insert(beside);
    } else {
      EXPECT_EQ(pairs.size(), 9u) << all[i];
      triples.insert(beside);
    }
    if (i < 10) {
      EXPECT_EQ(all[i], "|" + beside + "|") << "pairs are by themselves first";
    }
  }
  EXPECT_EQ(triples.size(), 27u + 27u);
}

TEST(SmallScenarios, AreTheSameForEverySeed) {
  const auto one = small_ones(2, 0, 1, 1), other = small_ones(2, 0, 1, 99);
  ASSERT_EQ(one.size(), other.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(side_by_side(one[i]), side_by_side(other[i]));
  }
}

TEST(SmallScenarios, AreSharedOutAmongWorkers) {
  std::set<std::string> together;
  size_t count = 0;
  for (uint32_t worker = 0; worker < 3; ++worker) {
    for (const std::string& one : small_ones(3, worker, 3, 1)) {
      together.insert(side_by_side(one));
      ++count;
    }
  }
  EXPECT_EQ(together.size(), 9u + 27u + 27u);
  EXPECT_EQ(count, 2 * 9u + 2 * 27u + 3u) << "each once; of the first nobody knows the rest";
}

TEST(SmallScenarios, ManyOperationsHaveTooManyTriples) {
  EXPECT_EQ(small_ones(9, 0, 1, 1).size(), 2 * 81u + 1);
}

TEST(ScenarioDraws, AreReadAndWritten) {
  Drawer test(5);
  Rng rng(5);
  const auto random = [&](const channel::Draw& asked) {
    return asked.low + rng.below(span_of(asked) + 1);
  };
  auto written = std::make_unique<channel::Draws>();
  for (int i = 0; i < 100; ++i) {
    const std::string drawn = test.draw(random);
    ScenarioDraws scenario;
    ASSERT_TRUE(scenario.read(test.draws().list, test.draws().count)) << drawn;
    scenario.write(~uint64_t{0}, *written);
    Drawer again(5);
    uint32_t at = 0;
    EXPECT_EQ(again.draw([&](const channel::Draw&) { return written->list[at++].value; }), drawn);
    EXPECT_EQ(at, written->count);
  }
  ScenarioDraws scenario;
  const channel::Draw other[] = {{DrawKind::signed_number, {}, 0, 9, 3}};
  EXPECT_FALSE(scenario.read(other, 1)) << "a property's";
  EXPECT_FALSE(scenario.read(test.draws().list, test.draws().count - 1)) << "the end is missing";
}

// As drawn: kinds and values of "ab|cd,e|" one after the other.
TEST(ScenarioShrinker, TriesTwoThreeAndFourOfItsOperations) {
  Drawer test(5);
  const std::vector<uint64_t> values = {1, 0, 7, 1, 1, 7, 0,     // ab
                                        1, 1, 2, 7, 1, 3, 7, 0,  // cd
                                        1, 1, 4, 7, 0, 0, 0};    // e
  size_t next = 0;
  ASSERT_EQ(test.draw([&](const channel::Draw&) { return values[next++]; }), "ab|cd,e|");
  ScenarioShrinker shrinker;
  ASSERT_TRUE(shrinker.start(test.draws()));
  auto candidate = std::make_unique<channel::Draws>();
  std::vector<std::string> tried;
  while (shrinker.next(*candidate)) {
    Drawer again(5);
    uint32_t at = 0;
    tried.push_back(again.draw([&](const channel::Draw& asked) {
      return at < candidate->count ? candidate->list[at++].value : asked.low;
    }));
  }
  const std::vector<std::string> expected = {"|c,e|",   "|d,e|",   "a|c,e|", "b|c,e|",
                                             "a|d,e|",  "b|d,e|",  "|cd,e|", "ab|c,e|",
                                             "ab|d,e|", "a|cd,e|", "b|cd,e|"};
  EXPECT_EQ(tried, expected);
}

TEST(ScenarioShrinker, LeavesAloneWhatIsSmallOrNoScenario) {
  Drawer test(2);
  ScenarioShrinker shrinker;
  ASSERT_EQ(test.draw([](const channel::Draw& asked) { return asked.low; }), "|a,a|");
  EXPECT_FALSE(shrinker.start(test.draws()));
  auto property = std::make_unique<channel::Draws>();
  property->count = 1;
  property->list[0] = {DrawKind::signed_number, {}, 0, 9, 3};
  EXPECT_FALSE(shrinker.start(*property));
}

}  // namespace
}  // namespace jostle
