// SPDX-License-Identifier: Apache-2.0
// Generators, and how their values are shown: include/jostle/gen.hpp, show.hpp, property.hpp. What
// the runtime does for them in a run is done here by a source of draws of the test's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <jostle/property.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "src/schedule/draw.h"
#include "src/strategy/inputs/input_values.h"

namespace {

struct Rejected {};

jostle::InputValues g_values;
bool g_simplest = false;
int g_draws = 0;

uint64_t draw(jostle::DrawKind kind, uint64_t low, uint64_t high) {
  const jostle::Draw asked{kind, {}, low, high, 0};
  ++g_draws;
  return g_simplest ? jostle::simplest(asked) : g_values.value(asked);
}

}  // namespace

extern "C" {
uint64_t jostle_draw_unsigned(uint64_t low, uint64_t high) {
  return draw(jostle::DrawKind::unsigned_number, low, high);
}
int64_t jostle_draw_signed(int64_t low, int64_t high) {
  return static_cast<int64_t>(draw(jostle::DrawKind::signed_number, static_cast<uint64_t>(low),
                                   static_cast<uint64_t>(high)));
}
uint64_t jostle_draw_example(uint64_t) { return 0; }
void jostle_reject(const char*) { throw Rejected(); }
void jostle_fail(const char* message, const char*, unsigned) { throw std::runtime_error(message); }
int jostle_begin_showing() { return 0; }
void jostle_show_value(const char*, const char*) {}
void jostle_end_showing() {}
void jostle_classify(const char*) {}
void jostle_explore(const jostle_check*, jostle_result*) {}
}

namespace jostle {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

struct Point {
  int x, y;
};
std::string jostle_show(const Point& p) { return "at " + std::to_string(p.x); }

struct Opaque {
  int hidden;
};

template <typename G>
auto many(const G& generator, int count = 2000) {
  std::vector<std::decay_t<typename G::value_type>> values;
  g_simplest = false;
  for (int i = 0; i < count; ++i) {
    g_values.begin(static_cast<uint64_t>(i));
    values.push_back(generator());
  }
  return values;
}

template <typename G>
auto simplest_of(const G& generator) {
  g_simplest = true;
  return generator();
}

TEST(Generators, RangesHaveBothEndsAndNothingBeyond) {
  const auto values = many(gen::range(-3, 3));
  EXPECT_EQ(std::set<int>(values.begin(), values.end()), (std::set{-3, -2, -1, 0, 1, 2, 3}));
  for (const double value : many(gen::range(0.5, 0.75))) {
    EXPECT_GE(value, 0.5);
    EXPECT_LE(value, 0.75);
  }
  for (const auto value : many(gen::range<uint8_t>(250, 255))) EXPECT_GE(value, 250);
}

TEST(Generators, WhatIsSimpleIsSimple) {
  EXPECT_EQ(simplest_of(gen::any<int>()), 0);
  EXPECT_EQ(simplest_of(gen::range(5, 9)), 5);
  EXPECT_EQ(simplest_of(gen::range(-9, -5)), -5);
  EXPECT_EQ(simplest_of(gen::any<double>()), 0.0);
  EXPECT_EQ(simplest_of(gen::boolean()), false);
  EXPECT_EQ(simplest_of(gen::character()), 'a');
  EXPECT_EQ(simplest_of(gen::any<std::string>()), "");
  EXPECT_EQ(simplest_of(gen::string({2, 5})), "aa");
  EXPECT_THAT(simplest_of(gen::any<std::vector<int>>()), IsEmpty());
  EXPECT_THAT(simplest_of(gen::vector_of(gen::range(3, 7), {2, 4})), ElementsAre(3, 3));
  EXPECT_EQ(simplest_of(gen::optional_of(gen::any<int>())), std::nullopt);
  EXPECT_EQ(simplest_of(gen::one_of(gen::constant(7), gen::any<int>())), 7);
  EXPECT_EQ(simplest_of(gen::element_of({4, 2})), 4);
  EXPECT_EQ(simplest_of(gen::any<std::tuple<int, bool>>()), (std::tuple(0, false)));
}

TEST(Generators, SizesAreKept) {
  std::set<size_t> sizes;
  for (const auto& value : many(gen::vector_of(gen::any<int>(), {1, 3})))
    sizes.insert(value.size());
  EXPECT_EQ(sizes, (std::set<size_t>{1, 2, 3}));
  for (const auto& text : many(gen::string({0, 4}))) EXPECT_LE(text.size(), 4u);
  for (const auto& map : many(gen::map_of(gen::range(0, 3), gen::boolean()))) {
    EXPECT_LE(map.size(), 4u);
  }
  EXPECT_EQ(many(gen::array_of<3>(gen::any<int>()), 1)[0].size(), 3u);
}

TEST(Generators, EveryAlternativeComesAndWeightsCount) {
  const auto values = many(gen::one_of(gen::constant(1), gen::constant(2), gen::constant(3)));
  EXPECT_EQ(std::set<int>(values.begin(), values.end()), (std::set{1, 2, 3}));
  int ones = 0;
  const auto weighted =
      gen::weighted(gen::weight(9u, gen::constant(1)), gen::weight(1u, gen::constant(2)));
  for (const int value : many(weighted)) ones += value == 1;
  EXPECT_GT(ones, 1500);
  EXPECT_LT(ones, 2000);
}

TEST(Generators, ValuesAreMappedFilteredAndBound) {
  for (const int value : many(gen::range(0, 9).map([](int n) { return 2 * n; }))) {
    EXPECT_EQ(value % 2, 0);
  }
  for (const int value : many(gen::range(0, 9).filter([](int n) { return n > 7; }))) {
    EXPECT_GT(value, 7);
  }
  const auto squares = gen::range(1, 3).bind([](int n) {
    const auto size = static_cast<size_t>(n);
    return gen::vector_of(gen::constant(n), {size, size});
  });
  for (const auto& value : many(squares)) {
    EXPECT_THAT(value, Each(static_cast<int>(value.size())));
  }
}

TEST(Generators, AFilterThatLetsNothingThroughGivesUp) {
  g_draws = 0;
  g_simplest = false;
  EXPECT_THROW(gen::range(0, 9).filter([](int) { return false; })(), Rejected);
  EXPECT_EQ(g_draws, filter_attempts);
}

TEST(Generators, FloatsAreOfAllKinds) {
  int whole = 0, fractions = 0, infinite = 0, nan = 0;
  for (const double value : many(gen::any<double>(), 20'000)) {
    infinite += std::isinf(value);
    nan += std::isnan(value);
    whole += std::isfinite(value) && value == std::floor(value);
    fractions += std::isfinite(value) && value != std::floor(value);
  }
  for (const int count : {whole, fractions, infinite, nan}) EXPECT_GT(count, 50);
}

TEST(Generators, WhatCannotBeIsRefused) {
  EXPECT_THROW(gen::range(2, 1), std::invalid_argument);
  EXPECT_THROW(gen::range(2.0, 1.0), std::invalid_argument);
  EXPECT_THROW(gen::vector_of(gen::any<int>(), {3, 2}), std::invalid_argument);
  EXPECT_THROW(gen::element_of(std::vector<int>{}), std::invalid_argument);
  EXPECT_THROW(gen::weighted(gen::weight(0u, gen::constant(1))), std::invalid_argument);
}

TEST(Generators, AnExceptionOfAGeneratorIsNamed) {
  const auto broken = gen::range(0, 1).map([](int) -> int { throw std::logic_error("broken"); });
  try {
    jostle::draw(broken);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "a generator threw an exception: broken");
  }
}

TEST(Show, ValuesAreWrittenAsInCode) {
  EXPECT_EQ(show(10), "10");
  EXPECT_EQ(show(true), "true");
  EXPECT_EQ(show('\''), "'\\''");
  EXPECT_EQ(show(std::string("a\n\x01\"")), "\"a\\n\\x01\\\"\"");
  EXPECT_EQ(show(0.5), "0.5");
  EXPECT_EQ(show(uint8_t{7}), "7");
  EXPECT_EQ(show(std::vector{0, 3}), "{0, 3}");
  EXPECT_EQ(show(std::pair(1, true)), "(1, true)");
  EXPECT_EQ(show(std::map<int, std::string>{{1, "x"}}), "{(1, \"x\")}");
  EXPECT_EQ(show(std::optional<int>{}), "nothing");
  EXPECT_EQ(show(std::optional<int>{3}), "3");
  EXPECT_EQ(show(Point{4, 5}), "at 4");
  EXPECT_EQ(show(Opaque{1}), "(a value of 4 bytes: give its type an operator<<)");
}

}  // namespace
}  // namespace jostle
