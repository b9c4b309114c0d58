// SPDX-License-Identifier: Apache-2.0
// Which operations an explanation names, for the classical patterns.
#include "src/report/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/small_run.h"

namespace jostle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr uintptr_t kX = 0xA00, kY = 0xB00;

std::string why(SmallRun& failing, SmallRun& passing) {
  return explain_difference(failing.named(), passing.named()).text();
}

TEST(Explain, ALostUpdateIsTheReadBetweenTheOthersReadAndWrite) {
  SmallRun fails(
      {reads(1, kX, 0), reads(2, kX, 0), writes(2, kX, 1), writes(1, kX, 1), reads(0, kX, 1)});
  SmallRun passes(
      {reads(1, kX, 0), writes(1, kX, 1), reads(2, kX, 1), writes(2, kX, 2), reads(0, kX, 2)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T2 read 0xa00 = 0"));
  EXPECT_THAT(why(fails, passes), HasSubstr("between T1's read"));
}

TEST(Explain, HalfAnUpdateIsNamedByBothWrites) {
  SmallRun fails({writes(1, kX, 50), reads(2, kX, 50), reads(2, kY, 100)}, {1});
  SmallRun passes({writes(1, kX, 50), writes(1, kY, 150), reads(2, kX, 50), reads(2, kY, 150)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T2 read 0xb00 = 100"));
  EXPECT_THAT(why(fails, passes), HasSubstr("after T1 wrote 0xa00 = 50"));
  EXPECT_THAT(why(fails, passes), HasSubstr("and before it wrote 0xb00 = 150"));
}

TEST(Explain, WhatComesBetweenTwoLooksIsTheCauseWhateverMadeItHappen) {
  // T2 clears the pointer only because T1 has not counted itself in yet.
  SmallRun fails({reads(1, kX, 7), reads(2, kY, 1), writes(2, kX, 0), reads(1, kX, 0)});
  SmallRun passes({reads(1, kX, 7), reads(1, kX, 7), writes(1, kY, 2), reads(2, kY, 2)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T2 wrote 0xa00 = 0"));
  EXPECT_THAT(why(fails, passes), HasSubstr("between T1's read"));
  EXPECT_THAT(why(fails, passes), HasSubstr("Without that in between it passes"));
}

TEST(Explain, OfTwoWritesTheOrderDecides) {
  SmallRun fails({writes(2, kX, 2), writes(1, kX, 1), reads(0, kX, 1)});
  SmallRun passes({writes(1, kX, 1), writes(2, kX, 2), reads(0, kX, 2)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T1 wrote 0xa00 = 1"));
  EXPECT_THAT(why(fails, passes), HasSubstr("after T2 wrote 2"));
}

TEST(Explain, AValueIsFollowedBackToWhereItWentWrong) {
  // What main sees comes from T2 in both runs; but T2 had read too early.
  SmallRun fails({reads(2, kX, 0), writes(2, kY, 0), writes(1, kX, 5), reads(0, kY, 0)});
  SmallRun passes({writes(1, kX, 5), reads(2, kX, 5), writes(2, kY, 5), reads(0, kY, 5)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T2 read 0xa00 = 0"));
  EXPECT_THAT(why(fails, passes), HasSubstr("before T1 wrote 5"));
}

TEST(Explain, AReadThatComesTooLate) {
  SmallRun fails({writes(1, kX, 1), reads(2, kX, 1)});
  SmallRun passes({reads(2, kX, 0), writes(1, kX, 1)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T2 read 0xa00 = 1"));
  EXPECT_THAT(why(fails, passes), HasSubstr("after T1 wrote it"));
}

TEST(Explain, AnotherWriterOfTheSameValueIsNoDifference) {
  SmallRun fails({writes(1, kX, 1), reads(2, kX, 1), writes(1, kY, 1), reads(2, kY, 1)});
  SmallRun passes({writes(1, kX, 1), reads(2, kX, 1), reads(2, kY, 0), writes(1, kY, 1)});
  EXPECT_THAT(why(fails, passes), HasSubstr("0xb00"));
  EXPECT_THAT(why(fails, passes), Not(HasSubstr("0xa00")));
}

TEST(Explain, TheSameRunTwiceTellsNothing) {
  SmallRun one({writes(1, kX, 1), reads(2, kX, 1)});
  SmallRun two({writes(1, kX, 1), reads(2, kX, 1)});
  const Explanation nothing = explain_difference(one.named(), two.named());
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.distance, 0u);
  SmallRun empty({});
  EXPECT_TRUE(explain_difference(empty.named(), one.named()).empty());
}

TEST(Explain, TheNearerRunIsTheOneWithFewerOtherReads) {
  const std::vector<SmallOperation> failing = {writes(1, kX, 1), writes(2, kX, 2), reads(3, kX, 2)};
  SmallRun fails(failing);
  SmallRun near({writes(1, kX, 1), reads(3, kX, 1), writes(2, kX, 2)});
  SmallRun same(failing);
  EXPECT_GT(explain_difference(fails.named(), near.named()).distance,
            explain_difference(fails.named(), same.named()).distance);
}

// T2 begins anew without a look at what T1 made; that T1's value came out otherwise tells nothing.
TEST(Explain, WhoOverwritesBlindlyIsNamed) {
  SmallRun fails(
      {writes(2, kY, 0), reads(1, kX, 0), writes(1, kX, 1), writes(2, kX, 0), reads(0, kX, 0)});
  SmallRun passes(
      {writes(2, kY, 0), writes(2, kX, 0), reads(1, kX, 0), writes(1, kX, 1), reads(0, kX, 1)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T2 wrote 0xa00 = 0"));
  EXPECT_THAT(why(fails, passes), HasSubstr("after T1 wrote"));
}

TEST(Explain, StepsAreThoseOfTheSentence) {
  SmallRun fails(
      {reads(1, kX, 0), reads(2, kX, 0), writes(2, kX, 1), writes(1, kX, 1), reads(0, kX, 1)});
  SmallRun passes(
      {reads(1, kX, 0), writes(1, kX, 1), reads(2, kX, 1), writes(2, kX, 2), reads(0, kX, 2)});
  EXPECT_THAT(explain_difference(fails.named(), passes.named()).steps,
              ElementsAre(1u, 3u, 0u));  // T2's read, T1's write, T1's read
}

// ---- suspicions -------------------------------------------------------------------------------

TEST(Suspicions, AccessesThatWereTornApartAreTriedFirst) {
  SmallRun fails(
      {reads(1, kX, 0), reads(2, kX, 0), writes(2, kX, 1), writes(1, kX, 1), reads(0, kX, 1)});
  SmallRun passes(
      {reads(1, kX, 0), writes(1, kX, 1), reads(2, kX, 1), writes(2, kX, 2), reads(0, kX, 2)});
  const std::vector<Suspicion> all = suspicions(fails.named(), passes.named());
  ASSERT_FALSE(all.empty());
  // T1 is not to be interrupted between its first and its second event.
  EXPECT_EQ(all[0].claim, (Claim{Claim::Kind::through, 1, 1, 1, 2}));
  EXPECT_THAT(all[0].says.text(), HasSubstr("T2 wrote 0xa00 = 1"));
  EXPECT_TRUE(bears_out(all[0], passes.named()));
  EXPECT_FALSE(bears_out(all[0], fails.named()));
}

TEST(Suspicions, TheClosestPairIsMeant) {
  // A counter that is touched before and after encloses what matters.
  SmallRun fails({writes(1, kY, 1), reads(1, kX, 0), writes(2, kX, 1), writes(2, kY, 2),
                  writes(1, kX, 1), writes(1, kY, 3), reads(0, kX, 1)});
  const std::vector<Cause> causes = interruptions(fails.trace());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].other, 1u);
  EXPECT_EQ(causes[0].write, 2u);
  EXPECT_EQ(causes[0].read, 4u);
}

TEST(Suspicions, WhatTouchesOtherBytesIsNoCause) {
  // T1 writes to the next word in the failing run: that is not what main misses.
  SmallRun fails({reads(1, kY, 0), writes(1, kX + 8, 1), writes(2, kY, 1), reads(0, kX, 0)});
  SmallRun passes({writes(2, kY, 1), reads(1, kY, 1), writes(1, kX, 1), reads(0, kX, 1)});
  EXPECT_THAT(why(fails, passes), HasSubstr("T1 read 0xb00 = 0"));
  EXPECT_THAT(why(fails, passes), HasSubstr("before T2 wrote 1"));
}

TEST(Suspicions, AReadIsHeldAsLongAsOthersCanRun) {
  SmallRun fails({writes(2, kY, 1), reads(1, kX, 0)});
  const std::vector<Probe> all = probes(fails.named());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].claim, (Claim{Claim::Kind::after, 1, 1, kNoThread, UINT64_MAX}));
  SmallRun trial({writes(2, kY, 1), writes(2, kX, 5), reads(1, kX, 5)});
  const std::vector<Suspicion> missed = missed_writes(fails.named(), all[0], trial.named());
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed[0].claim, (Claim{Claim::Kind::after, 1, 1, 2, 2}));
  EXPECT_THAT(missed[0].says.text(), HasSubstr("T1 read 0xa00 = 0"));
  EXPECT_THAT(missed[0].says.text(), HasSubstr("before T2 wrote 5"));
  SmallRun nothing_new({writes(2, kY, 1), reads(1, kX, 0)});
  EXPECT_THAT(missed_writes(fails.named(), all[0], nothing_new.named()), testing::IsEmpty());
}

TEST(Suspicions, OfMissedWritesTheFirstIsTriedFirst) {
  SmallRun fails({writes(4, kY, 1), reads(1, kX, 0)});
  const std::vector<Probe> all = probes(fails.named());
  ASSERT_EQ(all.size(), 1u);
  SmallRun trial(
      {writes(4, kY, 1), writes(2, kX, 5), writes(3, kX, 6), writes(4, kX, 7), reads(1, kX, 7)});
  const std::vector<Suspicion> missed = missed_writes(fails.named(), all[0], trial.named());
  ASSERT_EQ(missed.size(), 2u);
  EXPECT_EQ(missed[0].claim, (Claim{Claim::Kind::after, 1, 1, 2, 1}));
  EXPECT_THAT(missed[0].says.text(), HasSubstr("before T2 wrote 5"));
  EXPECT_EQ(missed[1].claim, (Claim{Claim::Kind::after, 1, 1, 4, 2}));
}

// ---- from the end alone -----------------------------------------------------------------------

class ExplainEnd : public testing::Test {
 protected:
  static channel::ThreadReport& waits(SmallRun& run, uint32_t thread, OpKind kind,
                                      uintptr_t object) {
    run.record().end.outcome = channel::Outcome::deadlock;
    channel::ThreadReport& report = run.record().reports[run.record().report_count++];
    report.thread = thread;
    report.state = channel::ThreadState::blocked;
    report.pending = {kind, 0, object, 0x5000 + thread};
    report.waits_for_thread = kNoThread;
    return report;
  }
};

TEST_F(ExplainEnd, ASignalThatFoundNobodyIsNamed) {
  SmallRun run({{1, OpKind::cond_signal, kX}, {2, OpKind::cond_wait, kX}});
  waits(run, 2, OpKind::cond_wait, kX);
  const Explanation why = explain_end(run.named());
  EXPECT_THAT(why.text(), HasSubstr("T1 signalled 0xa00"));
  EXPECT_THAT(why.text(), HasSubstr("when nobody waited; T2 began to wait afterwards"));
  EXPECT_FALSE(why.only_the_end);
}

// T1 has told T2 to end, and waits for that; who signals itself is not woken.
TEST_F(ExplainEnd, WhoseOwnSignalsAreTheOnlyOnesIsNotTheReason) {
  SmallRun run({{1, OpKind::cond_signal, kY},
                {1, OpKind::cond_broadcast, kX},
                {1, OpKind::cond_wait, kX},
                {2, OpKind::cond_broadcast, kY},
                {2, OpKind::cond_wait, kY}});
  waits(run, 1, OpKind::cond_wait, kX);
  waits(run, 3, OpKind::cond_wait, kX + 0x400);
  waits(run, 2, OpKind::cond_wait, kY);
  EXPECT_THAT(explain_end(run.named()).text(),
              HasSubstr("when nobody waited; T2 began to wait afterwards"));
  SmallRun alone({{1, OpKind::cond_broadcast, kX}, {1, OpKind::cond_wait, kX}});
  waits(alone, 1, OpKind::cond_wait, kX);
  EXPECT_THAT(explain_end(alone.named()).text(), HasSubstr("nobody else ever signals it"));
}

TEST_F(ExplainEnd, WithoutAnySignalTheReasonLiesElsewhere) {
  SmallRun run({reads(1, kY, 0), {2, OpKind::cond_wait, kX}});
  waits(run, 2, OpKind::cond_wait, kX);
  const Explanation why = explain_end(run.named());
  EXPECT_THAT(why.text(), HasSubstr("nobody ever signals it"));
  EXPECT_TRUE(why.only_the_end);
}

TEST_F(ExplainEnd, ALargeCircleIsCutShortButClosed) {
  constexpr uint32_t kThreads = 7;
  std::vector<SmallOperation> operations;
  for (uint32_t i = 0; i < kThreads; ++i) operations.push_back({i, OpKind::mutex_lock, kX + i});
  SmallRun run(operations);
  for (uint32_t i = 0; i < kThreads; ++i) {
    auto& report = waits(run, i, OpKind::mutex_lock, kX + (i + 1) % kThreads);
    report.in_cycle = 1;
    report.held[report.held_count++] = {kX + i, OpKind::mutex_lock, {}, 1, {1, 0, 0, {0x6001}, {}}};
  }
  const std::string text = explain_end(run.named()).text();
  EXPECT_THAT(text, HasSubstr("T1 took 0xa01"));
  EXPECT_THAT(text, HasSubstr("4 more"));
  EXPECT_THAT(text, HasSubstr("T6 took 0xa06"));
  EXPECT_THAT(text, HasSubstr("wants 0xa00"));
  EXPECT_THAT(text, Not(HasSubstr("T3")));
}

TEST_F(ExplainEnd, OtherFailuresTellNothingByThemselves) {
  SmallRun run({reads(1, kX, 0)});
  EXPECT_TRUE(explain_end(run.named()).empty());
}

}  // namespace
}  // namespace jostle::report
