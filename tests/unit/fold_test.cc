// SPDX-License-Identifier: Apache-2.0
// Which rows of a long interleaving are shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/report/explain/interleaving.h"

namespace jostle::report {
namespace {

using testing::ElementsAre;
using Kind = InterleavingRow::Kind;

// Two threads take turns: each row is a step, every second one is followed by a preemption.
Interleaving turns(size_t rounds) {
  Interleaving all;
  uint64_t step = 1;
  for (size_t i = 0; i < rounds; ++i) {
    const auto thread = static_cast<uint32_t>(1 + i % 2);
    InterleavingRow row{Kind::line, thread};
    row.line = static_cast<int>(i);
    row.count = 1;
    row.first = row.last = step++;
    all.rows.push_back(row);
    all.rows.push_back({Kind::preempted, thread});
  }
  all.rows.push_back({Kind::failed, 1});
  all.preemptions = rounds;
  list_threads(all);
  return all;
}

std::vector<std::string> texts(const Interleaving& shown) {
  std::vector<std::string> result;
  for (const InterleavingRow& row : shown.rows) {
    result.push_back(row.kind == Kind::line        ? std::to_string(row.line)
                     : row.kind == Kind::preempted ? "preempted"
                     : row.kind == Kind::failed    ? "failed"
                     : row.kind == Kind::left_out  ? "+" + std::to_string(row.count)
                                                   : row.text);
  }
  return result;
}

TEST(Fold, WhatFitsStays) {
  EXPECT_EQ(fold(turns(3), 7).rows.size(), 7u);
  EXPECT_THAT(fold(turns(3), 7).threads, ElementsAre(1u, 2u));
}

TEST(Fold, HundredsOfPreemptionsAreSummedUp) {
  EXPECT_THAT(texts(fold(turns(883), 5)), ElementsAre("… 882 steps, 881 preemptions", "preempted",
                                                      "882", "preempted", "failed"));
}

TEST(Fold, WhatTheExplanationNamesStaysWithWhatIsAroundIt) {
  Interleaving all = turns(100);
  all.rows[40].decisive = true;
  const Interleaving shown = fold(all, 9);
  EXPECT_THAT(texts(shown),
              ElementsAre("… 20 steps, 19 preemptions", "preempted", "20", "preempted", "21",
                          "… 77 steps, 78 preemptions", "99", "preempted", "failed"));
}

TEST(Fold, NeverMoreThanAskedAndNoStepIsForgotten) {
  for (const size_t most : {4, 10, 17, 60}) {
    Interleaving all = turns(200);
    for (size_t i = 0; i < all.rows.size(); i += 14) all.rows[i].decisive = true;
    const Interleaving shown = fold(all, most);
    EXPECT_LE(shown.rows.size(), most);
    uint64_t steps = 0;
    for (const InterleavingRow& row : shown.rows) steps += row.count;
    EXPECT_EQ(steps, 200u);
    EXPECT_EQ(shown.rows.back().kind, Kind::failed);
  }
}

TEST(SumUp, TurnsOfWhichThereIsNothingToShow) {
  Interleaving all = turns(20);
  for (size_t i = 4; i < 36; i += 2) all.rows[i].kind = Kind::left_out;
  EXPECT_THAT(texts(sum_up(all)),
              ElementsAre("0", "preempted", "1", "preempted", "… 16 steps, 16 preemptions", "18",
                          "preempted", "19", "preempted", "failed"));
}

TEST(SumUp, ThreadsThatAreStuckInTheSamePlace) {
  Interleaving all;
  for (uint32_t thread = 1; thread <= 60; ++thread) {
    all.rows.push_back({Kind::line, thread});
    all.rows.back().line = thread == 60 ? 9 : 7;
    all.rows.push_back({Kind::failed, thread});
  }
  const Interleaving shown = sum_up(all);
  EXPECT_THAT(texts(shown), ElementsAre("7", "failed", "… 58 threads stuck", "9", "failed"));
  EXPECT_THAT(shown.threads, ElementsAre(1u, 60u));
}

TEST(Fold, WhatTheExplanationNamesComesBeforeManyThatAreStuck) {
  Interleaving all = turns(20);
  all.rows.pop_back();
  all.rows[10].decisive = true;
  for (uint32_t thread = 1; thread <= 40; ++thread) {
    all.rows.push_back({Kind::line, thread});
    all.rows.back().decisive = true;
    all.rows.push_back({Kind::failed, thread});
  }
  const Interleaving shown = fold(all, 10);
  EXPECT_LE(shown.rows.size(), 10u);
  EXPECT_THAT(texts(shown), testing::Contains("5"));
  for (size_t i = 0; i < shown.rows.size(); ++i) {
    const bool is_mark = shown.rows[i].kind == Kind::failed;
    EXPECT_TRUE(!is_mark || shown.rows[i - 1].kind == Kind::line);
  }
}

TEST(Fold, StepsOfOneThreadStayInItsColumn) {
  Interleaving all;
  for (uint64_t step = 1; step <= 50; ++step) {
    InterleavingRow row{Kind::line, 1};
    row.count = 1;
    row.first = row.last = step;
    all.rows.push_back(row);
  }
  all.rows.push_back({Kind::failed, 1});
  EXPECT_THAT(texts(fold(all, 3)), ElementsAre("+49", "0", "failed"));
}

}  // namespace
}  // namespace jostle::report
