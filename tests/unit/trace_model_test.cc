// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/trace_model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/cli/target/shared_channel.h"
#include "src/report/model/data_flow.h"
#include "src/report/model/execution_order.h"
#include "src/report/model/lock_holds.h"
#include "src/report/model/trace_selection.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A record made by hand, in the words of the runtime: threads announce events, then are stopped.
class TraceModelTest : public testing::Test {
 protected:
  TraceModelTest() : channel_(std::move(*cli::create_channel())) {
    record().schedule.thread_count = 3;
    record().schedule.threads[2].ordinal = 1;
    record().end.outcome = channel::Outcome::assertion;
  }

  channel::RunRecord& record() { return channel_->record; }

  void announce(uint32_t thread, OpKind kind, uintptr_t object = 0, uint32_t size = 0) {
    channel::TraceEvent& event = record().trace[record().trace_count++];
    event = {};
    event.thread = thread;
    event.kind = kind;
    event.visible = 1;
    event.size = size;
    event.event = ++events_[thread];
    event.object = object;
    event.pc = 0x1000 + events_[thread];
  }
  // The thread stops before the event it announced last.
  void stop(uint32_t thread, bool forced = false, OpKind at = OpKind::none) {
    record().schedule.segments[record().schedule.segment_count++] = {
        thread, at, static_cast<uint8_t>(forced), 0, events_[thread], 0};
  }
  void end(uint32_t thread) {
    record().end.thread = thread;
    stop(thread, true);
  }

  TraceModel model(size_t most = 1000) {
    Symbolizer symbols(modules(*channel_));
    Names names(record(), symbols);
    return build_trace_model(record(), symbols, names, {most});
  }

  // "1 write", "2 read preempted"
  static std::vector<std::string> events(const TraceModel& model) {
    std::vector<std::string> texts;
    for (const EventModel& event : model.events) {
      texts.push_back(std::to_string(event.thread) + " " + std::string(op_name(event.kind)) +
                      (event.preempted ? " preempted" : "") + (event.executed ? "" : " pending"));
    }
    return texts;
  }

  cli::SharedChannel channel_;
  uint64_t events_[8] = {};
};

TEST_F(TraceModelTest, EventsAreInTheOrderOfExecution) {
  announce(0, OpKind::thread_create);
  announce(0, OpKind::write, 0xA0, 4);  // announced, but T1 runs first
  stop(0);
  announce(1, OpKind::read, 0xA0, 4);
  announce(1, OpKind::thread_exit);
  stop(1, true, OpKind::thread_exit);
  announce(0, OpKind::read, 0xA0, 4);
  end(0);
  const TraceModel result = model();
  EXPECT_THAT(events(result), ElementsAre("0 thread_create", "1 read", "1 thread_exit",
                                          "0 write preempted", "0 read"));
  EXPECT_EQ(result.events[1].reads_from, kNoIndex) << "the write came later";
  EXPECT_EQ(result.events[4].reads_from, 3u);
  EXPECT_EQ(result.preemptions, 1u);
  EXPECT_EQ(result.switches, 2u);
  ASSERT_EQ(result.stretches.size(), 3u);
  EXPECT_EQ(result.stretches[0].end, StretchEnd::preempted);
  EXPECT_EQ(result.stretches[1].end, StretchEnd::ended);
  EXPECT_EQ(result.stretches[2].end, StretchEnd::failed);
}

TEST_F(TraceModelTest, AThreadThatResumesOnlyToEndIsSeen) {
  announce(0, OpKind::thread_create);
  announce(0, OpKind::thread_join);
  stop(0, true, OpKind::thread_join);
  announce(1, OpKind::thread_exit);
  stop(1);
  announce(2, OpKind::write, 0xA0, 4);
  announce(2, OpKind::yield);
  stop(2);
  stop(1, true, OpKind::thread_exit);
  announce(0, OpKind::clock);
  end(0);
  EXPECT_THAT(events(model()), ElementsAre("0 thread_create", "2 write", "1 thread_exit preempted",
                                           "0 join", "0 clock", "2 yield pending"));
}

TEST_F(TraceModelTest, ASignalWakesOnlyWhoWaited) {
  announce(1, OpKind::cond_signal, 0xC0);  // nobody waits
  announce(1, OpKind::yield);
  stop(1);
  announce(0, OpKind::cond_wait, 0xC0);  // the entry
  announce(0, OpKind::cond_wait, 0xC0);
  stop(0, true, OpKind::cond_wait);
  announce(1, OpKind::cond_signal, 0xC0);
  announce(1, OpKind::thread_exit);
  stop(1, true, OpKind::thread_exit);
  announce(0, OpKind::clock);
  end(0);
  const TraceModel result = model();
  ASSERT_THAT(events(result),
              ElementsAre("1 cond_signal", "0 cond_wait", "1 yield preempted", "1 cond_signal",
                          "1 thread_exit", "0 cond_wait", "0 clock"));
  EXPECT_EQ(result.events[1].reads_from, kNoIndex) << "it came before";
  EXPECT_EQ(result.events[5].reads_from, 3u);
}

TEST_F(TraceModelTest, InADeadlockNobodyExecutesWhatItWaitsFor) {
  record().end.outcome = channel::Outcome::deadlock;
  for (const uint32_t thread : {1u, 2u}) {
    announce(thread, OpKind::mutex_lock, thread == 1 ? 0xA0 : 0xB0);
    announce(thread, OpKind::mutex_lock, thread == 1 ? 0xB0 : 0xA0);
    stop(thread, thread == 2, OpKind::mutex_lock);
    channel::ThreadReport& report = record().reports[record().report_count++];
    report.thread = thread;
    report.state = channel::ThreadState::blocked;
    report.pending = {OpKind::mutex_lock, 0, thread == 1 ? 0xB0u : 0xA0u, 0x1000};
    report.waits_for_thread = 3 - thread;
    report.in_cycle = 1;
  }
  const TraceModel result = model();
  EXPECT_THAT(events(result), ElementsAre("0 lock", "1 lock", "0 lock pending", "1 lock pending"));
  ASSERT_EQ(result.holds.size(), 2u);
  EXPECT_FALSE(result.holds[0].released);
  EXPECT_EQ(result.threads[0].waits_for_thread, 1u);
  EXPECT_TRUE(result.threads[1].in_cycle);
  EXPECT_EQ(result.objects[result.threads[1].wanted].name, "0xa0");
}

TEST_F(TraceModelTest, AReadObservesTheLastWriteThatOverlaps) {
  announce(0, OpKind::thread_create);
  announce(0, OpKind::write, 0xA0, 8);
  announce(0, OpKind::write, 0xA4, 2);
  announce(0, OpKind::atomic_rmw, 0xA0, 4);
  announce(0, OpKind::yield);
  stop(0);
  announce(1, OpKind::read, 0xA6, 1);  // of the first
  announce(1, OpKind::read, 0xA0, 8);  // of all three
  announce(1, OpKind::read, 0xA4, 4);  // of the first two
  announce(1, OpKind::read, 0x9C, 4);  // just before
  end(1);
  const TraceModel result = model();
  std::vector<uint32_t> observed;
  for (const EventModel& event : result.events) {
    if (event.thread == 1 && event.executed) observed.push_back(event.reads_from);
  }
  EXPECT_THAT(observed, ElementsAre(1u, 3u, 2u, kNoIndex));
  EXPECT_EQ(result.events[3].reads_from, 1u) << "a read-modify-write reads, too";
}

TEST_F(TraceModelTest, MemoryOfOneThreadIsLeftOut) {
  announce(0, OpKind::thread_create);
  announce(0, OpKind::write, 0xA0, 4);
  announce(0, OpKind::write, 0xB0, 4);
  announce(0, OpKind::read, 0xC0, 4);
  for (int i = 1; i < 4; ++i) record().trace[i].visible = 0;
  announce(0, OpKind::yield);
  stop(0);
  announce(1, OpKind::read, 0xB0, 4);
  announce(1, OpKind::read, 0xC0, 4);
  record().trace[5].visible = record().trace[6].visible = 0;
  end(1);
  const TraceModel result = model();
  EXPECT_THAT(events(result),
              ElementsAre("0 thread_create", "0 write", "1 read", "0 yield pending"));
  EXPECT_EQ(result.left_out.unshared, 3u) << "0xA0 is not shared, 0xC0 does not change";
}

std::vector<std::string> holds_of(const channel::RunRecord& record) {
  std::vector<std::string> texts;
  for (const LockHold& hold : lock_holds(record, execution_order(record))) {
    texts.push_back(fmt::format("T{} {:x} {}-{}{}", hold.thread, hold.object, hold.acquired,
                                hold.released == UINT32_MAX ? "" : std::to_string(hold.released),
                                hold.shared ? " shared" : ""));
  }
  return texts;
}

TEST_F(TraceModelTest, RecursiveLocksAndReadLocks) {
  announce(0, OpKind::mutex_lock, 0xA0);
  announce(0, OpKind::mutex_lock, 0xA0);
  announce(0, OpKind::mutex_unlock, 0xA0);
  announce(0, OpKind::rwlock_read, 0xB0);
  announce(0, OpKind::mutex_unlock, 0xA0);
  announce(0, OpKind::spin_lock, 0xC0);
  announce(0, OpKind::yield);
  stop(0);
  announce(1, OpKind::rwlock_read, 0xB0);
  announce(1, OpKind::rwlock_unlock, 0xB0);
  end(1);
  EXPECT_THAT(holds_of(record()),
              ElementsAre("T0 a0 0-4", "T0 b0 3- shared", "T0 c0 5-", "T1 b0 6-7 shared"));
}

TEST_F(TraceModelTest, AnAttemptOnALockThatAnotherHoldsFailed) {
  announce(0, OpKind::mutex_lock, 0xA0);
  announce(0, OpKind::yield);
  stop(0);
  announce(1, OpKind::mutex_trylock, 0xA0);
  announce(1, OpKind::mutex_trylock, 0xB0);
  announce(1, OpKind::mutex_unlock, 0xB0);
  end(1);
  EXPECT_THAT(holds_of(record()), ElementsAre("T0 a0 0-", "T1 b0 2-3"));
}

TEST_F(TraceModelTest, AConditionVariableGivesTheMutexBackWhileItWaits) {
  announce(0, OpKind::mutex_lock, 0xA0);
  announce(0, OpKind::cond_wait, 0xC0);  // releases
  announce(0, OpKind::cond_wait, 0xC0);  // waits
  stop(0, true, OpKind::cond_wait);
  announce(1, OpKind::mutex_lock, 0xA0);
  announce(1, OpKind::cond_signal, 0xC0);
  announce(1, OpKind::mutex_unlock, 0xA0);
  announce(1, OpKind::yield);
  stop(1);
  announce(0, OpKind::mutex_unlock, 0xA0);
  end(0);
  // 0 lock, 1 wait, 2-4 the other, 5 the wait is over, 6 unlock
  EXPECT_THAT(holds_of(record()), ElementsAre("T0 a0 0-1", "T1 a0 2-4", "T0 a0 5-6"));
  const TraceModel result = model();
  ASSERT_EQ(result.waits.size(), 1u);
  EXPECT_EQ(result.waits[0].kind, OpKind::cond_wait);
  EXPECT_EQ(result.waits[0].first, 2u);
  EXPECT_EQ(result.waits[0].last, 4u);
  EXPECT_TRUE(result.waits[0].ended);
}

TEST_F(TraceModelTest, ALongRunKeepsItsEndAndTheSwitches) {
  announce(0, OpKind::thread_create);
  for (uint32_t round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) announce(round % 2, OpKind::write, 0xA0, 4);
    if (round < 19) stop(round % 2);
  }
  end(1);
  const TraceModel all = model(1'000'000), few = model(200);
  EXPECT_EQ(all.left_out.for_length, 0u);
  EXPECT_LE(few.events.size(), 202u) << "and what was never executed";
  EXPECT_EQ(few.left_out.for_length + few.events.size(), all.events.size());
  EXPECT_EQ(few.stretches.size(), all.stretches.size()) << "all switches";
  uint64_t gaps = 0;
  for (const EventModel& event : few.events) gaps += event.left_out_before;
  EXPECT_EQ(gaps, few.left_out.for_length) << "every gap says how large it is";
  EXPECT_EQ(few.events.back().kind, OpKind::write);
}

TEST_F(TraceModelTest, WithoutSegmentsTheTraceHasToDo) {
  announce(0, OpKind::write, 0xA0, 4);
  announce(1, OpKind::write, 0xA0, 4);
  announce(0, OpKind::read, 0xA0, 4);
  record().end.thread = 0;
  EXPECT_THAT(events(model()), ElementsAre("0 write", "0 read", "1 write pending"));
}

TEST_F(TraceModelTest, WildRecordsAreContained) {
  announce(0, OpKind::write, UINTPTR_MAX - 2, UINT32_MAX);
  announce(1, static_cast<OpKind>(222), 0xA0, 4);
  announce(2, OpKind::read, 1, 4);
  record().trace[0].thread = 0xFFFFFFF0;
  record().trace[2].thread = channel::kMaxThreads - 1;
  record().schedule.segment_count = 2;
  record().schedule.segments[0] = {0xFFFFFFFF, static_cast<OpKind>(99), 7, 0, UINT64_MAX, 0};
  record().schedule.segments[1] = {1, static_cast<OpKind>(99), 7, 0, UINT64_MAX, 0};
  record().end.thread = 77;
  record().end.stack.depth = UINT32_MAX;
  record().report_count = 5;
  record().reports[1].waits_for_thread = 4242;
  record().reports[1].state = channel::ThreadState::blocked;
  EXPECT_FALSE(model().threads.empty());
}

// With weak memory: what a stale read has read, and stores that came before others.
TEST_F(TraceModelTest, StoresStandInTheirModificationOrder) {
  constexpr uintptr_t kObject = 0x5000;
  announce(0, OpKind::thread_create);
  announce(0, OpKind::atomic_store, kObject, 4);  // step 1: the first
  announce(0, OpKind::atomic_store, kObject, 4);  // step 2: the newest
  announce(0, OpKind::yield);
  stop(0);
  announce(1, OpKind::atomic_load, kObject, 4);   // step 3: the first, stale
  announce(1, OpKind::atomic_store, kObject, 4);  // step 4: placed before the newest
  announce(1, OpKind::atomic_load, kObject, 4);   // step 5: the newest, not what came last
  announce(1, OpKind::atomic_rmw, kObject, 4);    // step 6: of the newest
  end(1);
  const auto note = [&](uint64_t event, ChoiceKind kind) {
    channel::StaleRead& stale = record().stale[record().stale_count++];
    stale = {};
    stale.thread = 1;
    stale.event = event;
    stale.object = kObject;
    stale.kind = kind;
    stale.newer = 1;
  };
  note(1, ChoiceKind::stale);
  note(2, ChoiceKind::place);

  const DataFlow flow = data_flow(record(), execution_order(record()));
  EXPECT_THAT(flow.reads_from,
              ElementsAre(UINT32_MAX, UINT32_MAX, UINT32_MAX, 1, UINT32_MAX, 2, 2));
  ASSERT_EQ(flow.modification_orders.size(), 1u);
  EXPECT_EQ(flow.modification_orders[0].object, kObject);
  EXPECT_THAT(flow.modification_orders[0].stores, ElementsAre(1, 4, 2, 6));
  const TraceModel shown = model();
  ASSERT_EQ(shown.modification_orders.size(), 1u);
  EXPECT_THAT(shown.modification_orders[0].stores, ElementsAre(1, 4, 2, 6));
}

TEST(SelectEvents, KeepsWhatKeptEventsRead) {
  std::vector<SelectableEvent> events(1000);
  events[999].reads_from = 3;
  events[500].ends_stretch = true;
  const std::vector<bool> kept = select_events(events, 100);
  EXPECT_TRUE(kept[3]);
  EXPECT_TRUE(kept[500]);
  EXPECT_TRUE(kept[970]) << "the end";
  EXPECT_FALSE(kept[4]);
  EXPECT_THAT(select_events({}, 10), IsEmpty());
}

}  // namespace
}  // namespace jostle::report
