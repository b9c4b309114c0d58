// SPDX-License-Identifier: Apache-2.0
// Draws, where they come from, and how they get smaller: src/strategy/input_*, src/schedule/draw.h.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "src/minimize/algorithm/input_shrinker.h"
#include "src/strategy/inputs/input_search.h"

namespace jostle {
namespace {

Draw signed_draw(int64_t low, int64_t high, int64_t value = 0) {
  return {DrawKind::signed_number,
          {},
          static_cast<uint64_t>(low),
          static_cast<uint64_t>(high),
          static_cast<uint64_t>(value)};
}
Draw unsigned_draw(uint64_t low, uint64_t high, uint64_t value = 0) {
  return {DrawKind::unsigned_number, {}, low, high, value};
}

TEST(Draw, TheSimplestValueIsZeroOrWhatIsNearestToIt) {
  EXPECT_EQ(simplest(signed_draw(-5, 5)), 0u);
  EXPECT_EQ(simplest(signed_draw(3, 5)), 3u);
  EXPECT_EQ(static_cast<int64_t>(simplest(signed_draw(-9, -4))), -4);
  EXPECT_EQ(simplest(unsigned_draw(7, 9)), 7u);
  EXPECT_EQ(simplest(signed_draw(INT64_MIN, INT64_MAX)), 0u);
}

TEST(Draw, ValuesAreClampedByTheirKind) {
  EXPECT_EQ(static_cast<int64_t>(clamped(signed_draw(-5, 5), static_cast<uint64_t>(-9))), -5);
  EXPECT_EQ(clamped(signed_draw(-5, 5), 9), 5u);
  EXPECT_EQ(clamped(unsigned_draw(1, 5), UINT64_MAX), 5u);
  EXPECT_EQ(clamped(unsigned_draw(0, UINT64_MAX), UINT64_MAX), UINT64_MAX);
  EXPECT_TRUE(fits(signed_draw(INT64_MIN, INT64_MAX), static_cast<uint64_t>(INT64_MIN)));
}

TEST(Draw, ComplexityGrowsAwayFromZeroAndNegativeNumbersAreLessSimple) {
  const Draw draw = signed_draw(-100, 100);
  EXPECT_EQ(complexity(draw, 0), 0u);
  EXPECT_LT(complexity(draw, 1), complexity(draw, static_cast<uint64_t>(-1)));
  EXPECT_LT(complexity(draw, static_cast<uint64_t>(-1)), complexity(draw, 2));
}

// ---- values -------------------------------------------------------------------------------------

TEST(InputValues, FitAndAreOftenSmallAndSometimesAtTheEnds) {
  InputValues values;
  const Draw any = signed_draw(INT32_MIN, INT32_MAX);
  int small = 0, low = 0, high = 0, tens = 0;
  constexpr int kRuns = 20'000;
  for (int i = 0; i < kRuns; ++i) {
    values.begin(static_cast<uint64_t>(i));
    const uint64_t value = values.value(any);
    ASSERT_TRUE(fits(any, value));
    const auto number = static_cast<int64_t>(value);
    small += number > -64 && number < 64;
    low += number == INT32_MIN;
    high += number == INT32_MAX;
    tens += number == 10;
  }
  EXPECT_GT(small, kRuns / 3);
  EXPECT_GT(low, 20);
  EXPECT_GT(high, 20);
  EXPECT_GT(tens, 50) << "x == 10 has to be found in no time";
}

TEST(InputValues, SmallRangesAreCoveredAndOneValueIsThatValue) {
  InputValues values;
  std::set<uint64_t> seen;
  for (uint64_t i = 0; i < 200; ++i) {
    values.begin(i);
    seen.insert(values.value(unsigned_draw(5, 9)));
    EXPECT_EQ(values.value(unsigned_draw(3, 3)), 3u);
  }
  EXPECT_EQ(seen, (std::set<uint64_t>{5, 6, 7, 8, 9}));
}

TEST(InputValues, WhatWasLearnedComesAgain) {
  InputValues values;
  values.learn(123'456'789);
  int hits = 0;
  for (uint64_t i = 0; i < 2000; ++i) {
    values.begin(i);
    hits += values.value(signed_draw(INT64_MIN, INT64_MAX)) == 123'456'789;
  }
  EXPECT_GT(hits, 20);
}

// ---- the search ---------------------------------------------------------------------------------

// A program that draws, and says what it compared and whether that was new.
class SearchTest : public testing::Test {
 public:
  using Program = std::function<bool(SearchTest&)>;  // true: found

  uint64_t draw(Draw asked) {
    channel::Draws& draws = run_->draws;
    asked.value = search_.draw(asked, draws.count);
    draws.list[draws.count++] = asked;
    return asked.value;
  }
  int32_t any_int() { return static_cast<int32_t>(draw(signed_draw(INT32_MIN, INT32_MAX))); }
  // left == right, as an instrumented program compares.
  bool equal(uint64_t place, int32_t left, int32_t right) {
    if (left == right) {
      cover(place << 8);
      return true;
    }
    run_->comparisons[run_->comparison_count++] = {
        place, static_cast<uint32_t>(left), static_cast<uint32_t>(right), 4, 0, 0, 0, 0, 0};
    return false;
  }
  void cover(uint64_t feature) { run_->new_features += features_.insert(feature).second; }

  // How many runs until the program is solved.
  uint64_t runs_until(const Program& program, uint64_t most) {
    for (uint64_t run = 1; run <= most; ++run) {
      run_->draws.count = run_->comparison_count = 0;
      run_->new_features = 0;
      search_.begin(run);
      const bool found = program(*this);
      cover(1);
      search_.after_run(*run_);
      if (found) return run;
    }
    return most + 1;
  }

  // Hundreds of megabytes, hardly any of which is ever touched.
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<channel::RunRecord, Free> run_{
      static_cast<channel::RunRecord*>(std::calloc(1, sizeof(channel::RunRecord)))};
  InputSearch search_;
  std::set<uint64_t> features_;
};

TEST_F(SearchTest, AValueThatIsComparedWithAConstantBecomesIt) {
  const auto program = [](SearchTest& t) { return t.equal(7, t.any_int(), 987'654'321); };
  EXPECT_LT(runs_until(program, 10'000), 500u);
}

TEST_F(SearchTest, AStraightLineIsSolved) {
  const auto program = [](SearchTest& t) {
    const int32_t i = t.any_int() % 1'000'000;
    return t.equal(7, i * 4 - 2 + 70'000, 2);
  };
  EXPECT_LT(runs_until(program, 10'000), 1'000u);
}

TEST_F(SearchTest, ConditionsBehindEachOtherAreSolvedOneByOne) {
  const auto program = [](SearchTest& t) {
    const int32_t a = t.any_int(), b = t.any_int(), c = t.any_int();
    return t.equal(7, a, 123'456) && t.equal(8, b, -98'765) && t.equal(9, 3 * c + 1, 300'001);
  };
  EXPECT_LT(runs_until(program, 100'000), 10'000u);
}

TEST_F(SearchTest, EveryExampleIsTriedFirst) {
  std::set<uint64_t> tried;
  const auto program = [&](SearchTest& t) {
    tried.insert(t.draw({DrawKind::example, {}, 0, 3, 0}));
    return false;
  };
  runs_until(program, 8);
  EXPECT_EQ(tried, (std::set<uint64_t>{1, 2, 3}));
}

// ---- shrinking ----------------------------------------------------------------------------------

class ShrinkTest : public testing::Test {
 protected:
  // Reads an input like a generator: what is drawn beyond its end is simple.
  class Reader {
   public:
    Reader(const channel::Draws& given, channel::Draws& drawn) : source_(given), drawn_(drawn) {
      drawn_.count = drawn_.overflow = 0;
    }
    uint64_t draw(Draw asked) {
      asked.value = source_.draw(asked, drawn_.count);
      drawn_.list[drawn_.count++] = asked;
      return asked.value;
    }
    int32_t any_int() { return static_cast<int32_t>(draw(signed_draw(INT32_MIN, INT32_MAX))); }
    std::vector<int32_t> any_vector() {
      std::vector<int32_t> values;
      while (draw(unsigned_draw(0, 7)) != 0) values.push_back(any_int());
      return values;
    }

   private:
    GivenInputs source_;
    channel::Draws& drawn_;
  };
  using Fails = std::function<bool(Reader&)>;

  // Shrinks the input that `values` are; the number of runs it took.
  int shrink(const std::vector<uint64_t>& values, const Fails& fails) {
    given_->count = 0;
    for (const uint64_t value : values) {
      given_->list[given_->count++] = {DrawKind::signed_number, {}, 0, UINT64_MAX, value};
    }
    Reader first(*given_, *drawn_);
    EXPECT_TRUE(fails(first));
    shrinker_.start(*drawn_, in_pairs_);
    int runs = 0;
    while (shrinker_.next(*given_) && runs < 20'000) {
      ++runs;
      Reader reader(*given_, *drawn_);
      if (fails(reader)) {
        shrinker_.fails(*drawn_);
      } else {
        shrinker_.passes();
      }
    }
    given_->count = 0;
    for (const Draw& draw : shrinker_.best()) given_->list[given_->count++] = draw;
    return runs;
  }
  template <typename F>
  auto smallest(F&& read) {
    Reader reader(*given_, *drawn_);
    return read(reader);
  }

  std::unique_ptr<channel::Draws> given_{new channel::Draws()}, drawn_{new channel::Draws()};
  InputShrinker shrinker_;
  bool in_pairs_ = false;
};

TEST_F(ShrinkTest, ANumberShrinksToTheBoundary) {
  const auto fails = [](Reader& in) { return in.any_int() >= 1000; };
  EXPECT_LT(shrink({2'000'000'000}, fails), 100);
  EXPECT_EQ(smallest([](Reader& in) { return in.any_int(); }), 1000);
}

TEST_F(ShrinkTest, ANegativeNumberShrinksTowardsZero) {
  const auto fails = [](Reader& in) { return in.any_int() <= -77; };
  shrink({static_cast<uint64_t>(int64_t{-123'456})}, fails);
  EXPECT_EQ(smallest([](Reader& in) { return in.any_int(); }), -77);
}

TEST_F(ShrinkTest, AnExactValueStaysAndEverythingElseIsSimple) {
  const auto fails = [](Reader& in) {
    const int32_t a = in.any_int(), b = in.any_int();
    (void)b;
    return a == 791;
  };
  shrink({791, 55}, fails);
  EXPECT_EQ(smallest([](Reader& in) {
              return std::pair{in.any_int(), in.any_int()};
            }),
            std::pair(791, 0));
}

TEST_F(ShrinkTest, AVectorKeepsOnlyTheElementThatMatters) {
  const auto fails = [](Reader& in) {
    for (const int32_t value : in.any_vector()) {
      if (value > 40) return true;
    }
    return false;
  };
  shrink({1, 5, 1, 3, 2, 99, 1, 17, 1, 1234, 0}, fails);
  EXPECT_EQ(smallest([](Reader& in) { return in.any_vector(); }), std::vector<int32_t>{41});
}

TEST_F(ShrinkTest, ValuesThatHaveToBeEqualShrinkTogether) {
  const auto fails = [](Reader& in) {
    const int32_t a = in.any_int(), b = in.any_int();
    return a == b && a > 6;
  };
  shrink({5000, 5000}, fails);
  const auto [a, b] = smallest([](Reader& in) { return std::pair{in.any_int(), in.any_int()}; });
  EXPECT_EQ(a, b);
  EXPECT_LT(a, 14);
}

TEST_F(ShrinkTest, ANumberThatOnlyDoesNowAndThenGetsSmallAllTheSame) {
  const auto fails = [](Reader& in) {
    const int32_t n = in.any_int();
    return n >= 60 && n % 7 == 3;
  };
  EXPECT_LT(shrink({7 * 10'000 + 3}, fails), 3000);
  EXPECT_EQ(smallest([](Reader& in) { return in.any_int(); }), 66);
}

// As many that put in as take out, with others between them.
TEST_F(ShrinkTest, WhatBelongsTogetherIsLeftOutTogether) {
  const auto fails = [](Reader& in) {
    int put_in = 0, taken_out = 0, others = 0;
    for (const int32_t value : in.any_vector()) {
      (value == 100 ? others : value > 0 ? put_in : taken_out) += 1;
    }
    return others == 3 && put_in == taken_out && put_in != 0;
  };
  const auto minus = [](int32_t value) { return static_cast<uint64_t>(int64_t{-value}); };
  const auto size = [](Reader& in) { return in.any_vector().size(); };
  for (const bool in_pairs : {false, true}) {
    in_pairs_ = in_pairs;
    shrink({1, 5, 1, 100, 1, 7, 1, 100, 1, minus(3), 1, 100, 1, minus(2), 0}, fails);
    EXPECT_EQ(smallest(size), in_pairs ? 5u : 7u);
  }
}

TEST_F(ShrinkTest, AnInputThatDoesNotMatterShrinksToNothing) {
  EXPECT_LT(shrink({12, 34, 56}, [](Reader& in) { return in.any_int() >= INT32_MIN; }), 10);
  EXPECT_EQ(smallest([](Reader& in) { return in.any_int(); }), 0);
}

}  // namespace
}  // namespace jostle
