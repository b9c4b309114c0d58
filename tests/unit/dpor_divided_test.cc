// SPDX-License-Identifier: Apache-2.0
// A search that is divided into units: whoever explores them, in whatever order, twice or in parts,
// all executions are run, and each counts once.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "src/strategy/dpor/work/divided_search.h"
#include "src/strategy/dpor/work/unit_explorer.h"
#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

// As in a process of its own; memory of searches is never given back.
struct Hand {
  Conditions conditions;
  OwnNames names;
  dpor::ReducedSearch search{&conditions};
  dpor::UnitExplorer explorer{&search, &names};
};
Hand& hand(size_t i) {
  static auto& all = *new std::vector<Hand*>;  // outlives all tests
  while (all.size() <= i) all.push_back(new Hand);
  return *all[i];
}

std::string text_of(const dpor::ByteWriter& writer) {
  return {reinterpret_cast<const char*>(writer.bytes().begin()), writer.bytes().size()};
}
const uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// The answer of a unit; after `most` runs only a part of it.
std::string explored(const Program& program, Hand& by, const std::string& unit,
                     const std::string& part, uint64_t most, Counts& counts, bool* is_done) {
  EXPECT_TRUE(by.explorer.begin(bytes_of(unit), unit.size(), bytes_of(part), part.size()));
  static dpor::ByteWriter writer;
  writer.clear();
  *is_done = false;
  for (uint64_t runs = 0; !*is_done && runs < most; ++runs) {
    const uint64_t before = by.search.runs() - by.search.sleep_blocked_runs();
    const uint64_t redundant = by.search.sleep_blocked_runs();
    run_once(program, by.search, counts, true);
    const bool has_more = by.search.end_run();
    counts.sleep_blocked += by.search.sleep_blocked_runs() - redundant;
    if (by.search.trouble() != dpor::Trouble::none) counts.trouble = by.search.trouble();
    by.explorer.counts().explored += by.search.runs() - by.search.sleep_blocked_runs() - before;
    *is_done = by.explorer.after_run(has_more);
  }
  by.explorer.write_answer(writer, !*is_done);
  return text_of(writer);
}

dpor::DividedSearch& search_with(const dpor::DividedSearch::Sizes& sizes) {
  static auto& all = *new std::vector<std::pair<dpor::DividedSearch::Sizes, dpor::DividedSearch*>>;
  for (auto& [known, search] : all) {
    if (known.most_units != sizes.most_units || known.first_runs != sizes.first_runs) continue;
    search->restart();
    return *search;
  }
  all.emplace_back(sizes, new dpor::DividedSearch(sizes));
  return *all.back().second;
}

struct Way {
  dpor::DividedSearch::Sizes sizes;
  bool in_parts = false;
};

uint64_t g_most_units = 0;

Counts divided(const Program& program, const Way& way, uint64_t seed, uint64_t* told) {
  dpor::DividedSearch& search = search_with(way.sizes);
  static dpor::ByteWriter writer;
  Rng rng(seed);
  Counts counts;
  while (!search.is_finished() && counts.trouble == dpor::Trouble::none) {
    const uint32_t units = search.unit_count();
    g_most_units = std::max<uint64_t>(g_most_units, units);
    std::vector<std::string> answers(units);
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < units; ++i) order.insert(order.begin() + rng.below(i + 1), i);
    for (const uint32_t i : order) {
      writer.clear();
      search.write_unit(i, writer);
      const std::string unit = text_of(writer);
      bool is_done = false;
      for (std::string part; !is_done;) {
        const uint64_t most = way.in_parts ? 1 + rng.below(3) : UINT64_MAX;
        part = explored(program, hand(rng.below(3)), unit, part, most, counts, &is_done);
        if (is_done) answers[i] = part;
      }
      // Somebody else does it, too.
      Counts twice;
      const std::string again =
          explored(program, hand(rng.below(3)), unit, "", UINT64_MAX, twice, &is_done);
      EXPECT_EQ(again, answers[i]) << "unit " << i << " of round " << search.round();
    }
    std::vector<dpor::DividedSearch::Bytes> all;
    for (const std::string& answer : answers) {
      all.push_back({bytes_of(answer), answer.size()});
      dpor::UnitCounts of_unit;
      EXPECT_TRUE(search.is_answer(all.back(), &of_unit));
    }
    search.end_round(all.data());
  }
  const channel::Exploration progress = search.progress();
  EXPECT_EQ(progress.everything, 1u);
  *told = progress.explored;
  return counts;
}

class DividedSearch : public testing::TestWithParam<Drawn> {};

TEST_P(DividedSearch, HasAllExecutionsEachOnce) {
  const Drawn& drawn = GetParam();
  const uint64_t programs = how_many(drawn.programs);
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    Generator generator(seed, drawn.kinds);
    std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
    const Program program = program_of(codes, generator, drawn.kinds);
    const Counts alone = reduced(program, true);
    const Way ways[] = {{{4, 1, 1}}, {{64, 1, 4}}, {{64, 3, 8}, true}};
    for (const Way& way : ways) {
      const std::string where = std::string(drawn.name) + " " + std::to_string(seed) + ", " +
                                std::to_string(way.sizes.most_units) + " units\n" + text_of(codes);
      uint64_t told = 0;
      const Counts counts = divided(program, way, seed, &told);
      ASSERT_EQ(counts.trouble, dpor::Trouble::none) << where;
      ASSERT_EQ(counts.redundant, 0u) << where;
      ASSERT_EQ(counts.all(), alone.all()) << where;
      ASSERT_EQ(told, alone.all()) << where;
      ASSERT_EQ(counts.traces, alone.traces) << where;
      ASSERT_EQ(counts.sleep_blocked, 0u) << where;
    }
  }
  EXPECT_GT(g_most_units, 1u);
}

INSTANTIATE_TEST_SUITE_P(Dpor, DividedSearch, testing::ValuesIn(drawn_of_all_kinds(60, 120)));

TEST(DividedSearchAnswers, ThatAreDamagedAreNone) {
  dpor::DividedSearch& search = search_with({4, 1, 1});
  dpor::UnitCounts counts;
  const std::string text = "\x07 no answer";
  EXPECT_FALSE(search.is_answer({bytes_of(text), text.size()}, &counts));
  EXPECT_FALSE(search.is_answer({nullptr, 0}, &counts));
}

}  // namespace
}  // namespace jostle::dpor_machine
