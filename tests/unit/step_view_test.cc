// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/step_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/cli/target/shared_channel.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using channel::ThreadState;
using testing::HasSubstr;
using testing::Not;

// A stop made by hand; there are no modules, so places are plain addresses.
class StepViewTest : public testing::Test {
 protected:
  StepViewTest() : channel_(std::move(*cli::create_channel())) {}

  channel::ThreadReport& add_thread(ThreadState state, const Operation& pending) {
    channel::RunRecord& record = channel_->record;
    channel::ThreadReport& report = record.reports[record.report_count++];
    report.thread = record.report_count - 1;
    report.state = state;
    report.pending = pending;
    report.waits_for_thread = kNoThread;
    report.deadline = INT64_MAX;
    record.schedule.thread_count = record.report_count;
    return report;
  }

  std::string view(std::optional<uint64_t> value, const StepViewOptions& options = {}) {
    Symbolizer symbols(modules(*channel_));
    return step_view(
        *channel_, symbols, [&](uintptr_t, uint32_t) { return value; }, options);
  }

  cli::SharedChannel channel_;
};

TEST_F(StepViewTest, OneLinePerThread) {
  channel_->step.step = 1234;
  channel_->step.clock = 1'500'000'000;
  channel_->step.current = 1;
  add_thread(ThreadState::blocked, {OpKind::thread_join, 0, 0xB0, 0x5001}).waits_for_thread = 1;
  add_thread(ThreadState::runnable, {OpKind::write, 4, 0xA0, 0x5002});
  add_thread(ThreadState::blocked, {OpKind::mutex_lock, 0, 0xC0, 0x5003}).waits_for_thread = 1;
  add_thread(ThreadState::runnable, {OpKind::thread_begin, 0, 0, 0});
  add_thread(ThreadState::blocked, {OpKind::sleep, 0, 0, 0x5004}).deadline = 2'000'000'000;
  EXPECT_EQ(view(7),
            "step 1,234 · 5 threads · clock 1.500\n"
            "    main   blocked   join T1                 0x5000\n"
            "  * T1     ready     write 0xa0 (now 7)      0x5001\n"
            "    T2     blocked   lock 0xc0, held by T1   0x5002\n"
            "    T3     ready     begin\n"
            "    T4     blocked   sleep until 2.000       0x5003\n");
  EXPECT_THAT(view(std::nullopt), Not(HasSubstr("now")));
}

TEST_F(StepViewTest, ValuesHaveASign) {
  add_thread(ThreadState::runnable, {OpKind::read, 4, 0xA0, 0x5002});
  EXPECT_THAT(view(0xFFFFFFFF), HasSubstr("(now -1)"));
  channel_->record.reports[0].pending.size = 8;
  EXPECT_THAT(view(0xFFFFFFFF), HasSubstr("(now 4294967295)"));
  EXPECT_THAT(view(0x7FFFF7F92000), HasSubstr("(now 0x7ffff7f92000)"));
}

TEST_F(StepViewTest, WhoSpinsIsChosenOnlyIfNobodyElseCanBe) {
  const auto& first = add_thread(ThreadState::runnable, {OpKind::read, 4, 0xA0, 0x5002});
  auto& second = add_thread(ThreadState::runnable, {OpKind::read, 4, 0xA0, 0x5002});
  const auto& third = add_thread(ThreadState::blocked, {OpKind::mutex_lock, 0, 0xA0, 0x5002});
  second.spins = 1;
  EXPECT_TRUE(can_be_chosen(channel_->record, first));
  EXPECT_FALSE(can_be_chosen(channel_->record, second));
  EXPECT_FALSE(can_be_chosen(channel_->record, third));
  EXPECT_THAT(view(0), HasSubstr("T1     aside"));
  channel_->record.reports[0].state = ThreadState::blocked;
  EXPECT_TRUE(can_be_chosen(channel_->record, second));
}

TEST_F(StepViewTest, ManyThreadsAreCounted) {
  for (int i = 0; i < 60; ++i) add_thread(ThreadState::runnable, {OpKind::yield, 0, 0, 0x5002});
  EXPECT_THAT(view(0), HasSubstr("… and 20 threads more"));
  std::istringstream lines(view(0));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), kColumns) << line;
}

}  // namespace
}  // namespace jostle::report
