// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "src/cli/target/shared_channel.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/text/text_report.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using channel::Outcome;
using channel::ThreadState;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

template <size_t N>
void set(char (&field)[N], std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), N), field);
}

// A record made by hand; there are no modules, so places are plain addresses.
class ReportTest : public testing::Test {
 protected:
  ReportTest() : channel_(std::move(*cli::create_channel())) {
    record().schedule.thread_count = 3;
    set(record().schedule.threads[1].name, "worker");
    record().schedule.threads[2].ordinal = 1;
    set(record().schedule.threads[2].name, "flusher");
  }

  channel::RunRecord& record() { return channel_->record; }

  channel::ThreadReport& add_thread(uint32_t thread, OpKind kind, uintptr_t object,
                                    uint32_t waits_for) {
    channel::ThreadReport& report = record().reports[record().report_count++];
    report.thread = thread;
    report.state = ThreadState::blocked;
    report.pending = {kind, 0, object, 0x5000 + thread};
    report.waits_for_thread = waits_for;
    return report;
  }

  void hold(channel::ThreadReport& thread, uintptr_t object) {
    thread.held[thread.held_count++] = {object, OpKind::mutex_lock, {}, 1, {1, 0, 0, {0x6001}, {}}};
  }

  void make_deadlock() {
    record().end.outcome = Outcome::deadlock;
    auto& main_thread = add_thread(0, OpKind::thread_join, 0, 1);
    main_thread.in_cycle = 0;
    auto& worker = add_thread(1, OpKind::mutex_lock, 0xB0, 2);
    worker.in_cycle = 1;
    hold(worker, 0xA0);
    auto& flusher = add_thread(2, OpKind::mutex_lock, 0xA0, 1);
    flusher.in_cycle = 1;
    hold(flusher, 0xB0);
  }

  std::string text(ReportOptions options = {}) {
    Symbolizer symbols(modules(*channel_));
    return TextReport(record(), symbols, options).text();
  }

  static void expect_fits(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), kColumns) << line;
  }

  cli::SharedChannel channel_;
};

TEST_F(ReportTest, DeadlockNamesThreadsLocksAndTheCycle) {
  make_deadlock();
  ReportOptions options;
  options.schedule_number = 12;
  options.strategy = "pos";
  const std::string report = text(options);
  EXPECT_THAT(report, testing::StartsWith(
                          "DEADLOCK after 12 schedules (pos): T1 worker and T2 flusher wait for "
                          "each other\n"));
  EXPECT_THAT(report, HasSubstr("* T1 worker"));
  EXPECT_THAT(report, HasSubstr("waits for mutex 0xb0"));
  EXPECT_THAT(report, HasSubstr("held by T2"));
  EXPECT_THAT(report, HasSubstr("holds mutex 0xa0"));
  EXPECT_THAT(report, HasSubstr("waits for T1 worker to finish"));
  EXPECT_THAT(report, HasSubstr("cycle: T1 → T2 → T1"));
  expect_fits(report);
}

TEST_F(ReportTest, AHolderThatHasEndedIsNamed) {
  record().end.outcome = Outcome::deadlock;
  add_thread(0, OpKind::mutex_lock, 0xA0, 1);
  auto& worker = add_thread(1, OpKind::thread_exit, 0, kNoThread);
  worker.state = ThreadState::finished;
  hold(worker, 0xA0);
  const std::string report = text();
  EXPECT_THAT(report, HasSubstr("main waits for ever"));
  EXPECT_THAT(report, ContainsRegex("main +waits for mutex 0xa0 +0x4fff\n"
                                    " +held by T1 worker, which has ended"));
  EXPECT_THAT(report, Not(HasSubstr("holds mutex")));
  expect_fits(report);
}

TEST_F(ReportTest, ManyBlockedThreadsAreCounted) {
  record().end.outcome = Outcome::deadlock;
  for (uint32_t i = 0; i < 2000; ++i) add_thread(i, OpKind::sem_wait, 0xC0, kNoThread);
  record().schedule.thread_count = 2000;
  const std::string report = text();
  EXPECT_THAT(report, HasSubstr("main and 1,999 threads wait for ever"));
  EXPECT_THAT(report, HasSubstr("… and 1,976 threads more"));
  EXPECT_THAT(report, Not(HasSubstr("cycle:")));
  expect_fits(report);
}

TEST_F(ReportTest, HostileNamesAreEscapedAndFit) {
  make_deadlock();
  set(record().schedule.threads[1].name, "\x1b[2J\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  const std::string report = text();
  EXPECT_THAT(report, Not(HasSubstr("\x1b")));
  expect_fits(report);
}

TEST_F(ReportTest, WildCountsAndIndicesAreContained) {
  make_deadlock();
  record().report_count = UINT32_MAX;
  record().reports[1].held_count = UINT32_MAX;
  record().reports[1].stack.depth = UINT32_MAX;
  record().reports[1].waits_for_thread = 123456789;
  record().reports[2].pending.kind = static_cast<OpKind>(200);
  record().schedule.segment_count = 3;
  record().schedule.segments[0].thread = 0xFFFFFF;
  record().schedule.segments[0].stopped_at = static_cast<OpKind>(250);
  record().schedule.threads[2].parent = 77;
  record().end.stack.depth = 1000;
  record().end.thread = 4242;
  record().object_count = UINT32_MAX;
  EXPECT_FALSE(text().empty());
  record().end.outcome = static_cast<Outcome>(99);
  EXPECT_FALSE(text().empty());
}

TEST_F(ReportTest, AssertionHeadline) {
  channel::Failure& end = record().end;
  end.outcome = Outcome::assertion;
  set(end.message, "total == 300");
  set(end.function, "void audit()");
  set(end.file, "/home/me/bank.cc");
  end.line = 41;
  ReportOptions options;
  options.schedule_number = 1872;
  options.strategy = "pos";
  EXPECT_THAT(text(options),
              testing::StartsWith("FAILED after 1,872 schedules (pos): assertion `total == 300' in "
                                  "audit at bank.cc:41\n"));
}

TEST_F(ReportTest, EveryKindHasAHeadline) {
  channel::Failure& end = record().end;
  const struct {
    Outcome outcome;
    int code;
    const char* says;
  } cases[] = {
      {Outcome::aborted, SIGABRT, "ABORTED: abort() called"},
      {Outcome::exception, 0, "FAILED: uncaught exception"},
      {Outcome::signalled, SIGSEGV, "CRASHED: SIGSEGV at address 0x0"},
      {Outcome::signalled, SIGFPE, "CRASHED: SIGFPE"},
      {Outcome::exited, 3, "FAILED: exit status 3"},
      {Outcome::livelock, 0, "LIVELOCK: all live threads spin"},
      {Outcome::step_limit, 0, "STEP LIMIT: no end after"},
      {Outcome::timed_out, 0, "TIMED OUT: the run took too long"},
      {Outcome::misuse, 0, "MISUSE: "},
  };
  for (const auto& c : cases) {
    end.outcome = c.outcome;
    end.code = c.code;
    EXPECT_THAT(text(), testing::StartsWith(c.says));
  }
}

TEST_F(ReportTest, ScheduleIsCutAtItsBeginning) {
  record().end.outcome = Outcome::exited;
  record().end.code = 1;
  record().schedule.segment_count = 100;
  for (uint32_t i = 0; i < 100; ++i) {
    record().schedule.segments[i] = {i % 3, OpKind::write, 0, 0, i, 0};
  }
  record().schedule.segments[99] = {1, OpKind::thread_exit, 1, 0, 7, 0};
  ReportOptions options;
  options.complete = true;  // the terminal has the interleaving instead
  const std::string report = text(options);
  EXPECT_THAT(report, HasSubstr("the schedule: 100 segments, 99 preemptions"));
  EXPECT_THAT(report, HasSubstr("… 76 segments before these"));
  EXPECT_THAT(report, HasSubstr("   100  T1 worker   ended      thread_exit"));
  expect_fits(report);
}

TEST_F(ReportTest, ColourOnlyWhenAsked) {
  make_deadlock();
  EXPECT_THAT(text(), Not(HasSubstr("\x1b")));
  ReportOptions options;
  options.colour = true;
  EXPECT_THAT(text(options), testing::StartsWith("\x1b[1;31mDEADLOCK\x1b[0m: "));
}

TEST_F(ReportTest, SaysWhatToTypeNext) {
  make_deadlock();
  ReportOptions options;
  options.replay_command = "jostle replay x/replay.json";
  EXPECT_THAT(text(options), testing::EndsWith("\n  replay   jostle replay x/replay.json\n"));
}

TEST_F(ReportTest, HeapAndStackObjectsAreDescribed) {
  make_deadlock();
  record().object_count = 2;
  record().objects[0] = {0xA0, channel::Region::heap,   1, 8, 64, 0, 0, 0,
                         0,    {1, 0, 0, {0x7001}, {}}, {}};
  record().objects[1] = {0xB0, channel::Region::stack, 2, 16, 0, 0, 0, 0, 0, {}, {}};
  const std::string report = text();
  EXPECT_THAT(report, HasSubstr("mutex heap block+8 of 0x7000"));
  EXPECT_THAT(report, HasSubstr("mutex stack of T2+16"));
}

TEST(SameFailure, ComparesWhatMatters) {
  channel::Failure a{}, b{};
  a.outcome = b.outcome = Outcome::assertion;
  set(a.message, "x");
  set(b.message, "x");
  a.line = b.line = 3;
  a.steps = 5;
  EXPECT_TRUE(same_failure(a, b));
  b.line = 4;
  EXPECT_FALSE(same_failure(a, b));
  a.outcome = b.outcome = Outcome::deadlock;
  EXPECT_TRUE(same_failure(a, b));
  a.outcome = b.outcome = Outcome::signalled;
  a.code = SIGSEGV;
  b.code = SIGBUS;
  EXPECT_FALSE(same_failure(a, b));
}

TEST(Kinds, HaveNamesThatComeBack) {
  for (int i = 0; i < channel::kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    Outcome back = Outcome::running;
    EXPECT_TRUE(outcome_from_kind(kind(outcome), back));
    EXPECT_EQ(back, outcome);
  }
  Outcome ignored;
  EXPECT_FALSE(outcome_from_kind("nonsense", ignored));
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(999), "signal 999");
}

}  // namespace
}  // namespace jostle::report
