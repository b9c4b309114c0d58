// SPDX-License-Identifier: Apache-2.0
// Which lines of a run a reader gets to see.
#include "src/report/explain/interleaving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/small_run.h"

namespace jostle::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = InterleavingRow::Kind;

constexpr uintptr_t kX = 0xA00, kY = 0xB00;

// "1 read 0xa00", "1 preempted", "1 +3", "2 failed"
std::vector<std::string> rows(SmallRun& run, const Explanation& why,
                              const InterleavingLimits& limits = {}) {
  SourceLines sources;
  std::vector<std::string> texts;
  for (const InterleavingRow& row : make_interleaving(run.named(), why, sources, limits).rows) {
    std::string text = std::to_string(row.thread) + " ";
    switch (row.kind) {
      case Kind::line:
        text += row.text + (row.decisive ? " !" : "");
        break;
      case Kind::left_out:
        text += "+" + std::to_string(row.count);
        break;
      case Kind::folded:
        text += row.text;
        break;
      case Kind::preempted:
        text += "preempted";
        break;
      case Kind::waits:
        text += "waits";
        break;
      case Kind::failed:
        text += "failed";
        break;
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(Interleaving, ShowsWhatTheExplanationNamesAndWhoWasPreempted) {
  SmallRun run({reads(1, kX, 0), reads(2, kX, 0), writes(2, kX, 1), writes(1, kX, 1)});
  Explanation why;
  why.steps = {0, 1};
  const auto shown = rows(run, why);
  EXPECT_THAT(shown, Contains("1 read 0xa00 !"));
  EXPECT_THAT(shown, Contains("1 preempted"));
  EXPECT_THAT(shown, Contains("2 read 0xa00 !"));
  EXPECT_EQ(shown.back(), "1 failed");
}

TEST(Interleaving, CountsWhatItLeavesOut) {
  std::vector<SmallOperation> operations;
  for (int i = 0; i < 40; ++i) operations.push_back(writes(1, kY, 1));
  operations.push_back(writes(1, kX, 1));
  operations.push_back(reads(2, kX, 1));
  operations.push_back(writes(1, kX, 2));
  SmallRun run(operations);
  Explanation why;
  why.steps = {40, 41};
  const auto shown = rows(run, why, {.most = 4});
  EXPECT_THAT(shown, Contains("1 +40"));
  EXPECT_THAT(shown, Contains("1 write 0xa00 !"));
}

TEST(Interleaving, ThreadsAreListedInTheOrderOfTheirCreation) {
  SmallRun run({writes(2, kX, 1), reads(1, kX, 1)});
  SourceLines sources;
  Explanation why;
  why.steps = {0, 1};
  EXPECT_THAT(make_interleaving(run.named(), why, sources, {}).threads, ElementsAre(1u, 2u));
}

TEST(Interleaving, ValuesAreNoted) {
  SmallRun run({writes(1, kX, 50), reads(2, kX, 50)});
  SourceLines sources;
  Explanation why;
  why.steps = {0, 1};
  std::vector<std::string> notes;
  for (const auto& row : make_interleaving(run.named(), why, sources, {}).rows) {
    notes.push_back(row.note);
  }
  EXPECT_THAT(notes, Contains(HasSubstr("writes 50")));
  EXPECT_THAT(notes, Contains(HasSubstr("reads 50")));
}

}  // namespace
}  // namespace jostle::report
