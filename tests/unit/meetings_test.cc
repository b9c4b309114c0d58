// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "src/cli/runs/meeting_places.h"
#include "src/cli/target/shared_channel.h"

namespace jostle::cli {
namespace {

// A run of main and two threads of its own, made up event by event. A pc is the name of a function.
class MeetingsTest : public testing::Test {
 protected:
  MeetingsTest() {
    record().schedule.thread_count = 3;
    record().schedule.threads[2].ordinal = 1;  // all else is zero
  }
  channel::RunRecord& record() { return (*channel_)->record; }

  void event(uint32_t thread, OpKind kind, uintptr_t object, uintptr_t pc, uint32_t size = 4) {
    channel::TraceEvent& e = record().trace[record().trace_count++];
    e = {};
    e.thread = thread;
    e.kind = kind;
    e.object = object;
    e.size = size;
    e.pc = pc;
    e.visible = 1;
  }
  void create() { event(0, OpKind::thread_create, 0, 'm', 0); }
  void read(uint32_t thread, uintptr_t object, uintptr_t pc) {
    event(thread, OpKind::read, object, pc);
  }
  void write(uint32_t thread, uintptr_t object, uintptr_t pc) {
    event(thread, OpKind::write, object, pc);
  }
  MeetingPlace at(char pc, bool synchronisation = false) {
    Meetings meetings(synchronisation);
    meetings.add(record(), [&](uintptr_t p) -> const std::string& {
      return names_[p] = std::string(1, static_cast<char>(p));
    });
    const auto found = meetings.places().find(std::string(1, pc));
    return found == meetings.places().end() ? MeetingPlace{} : found->second;
  }

  Result<SharedChannel> channel_ = create_channel();
  std::map<uintptr_t, std::string> names_;
};

TEST_F(MeetingsTest, BothSidesCount) {
  create();
  create();
  write(1, 0x1000, 'a');
  read(2, 0x1000, 'b');
  EXPECT_EQ(at('a').meetings, 1u);
  EXPECT_EQ(at('b').meetings, 1u);
  EXPECT_EQ(at('b').accesses, 1u);
  EXPECT_EQ(at('b').threads, std::set<uint32_t>{2});
}

TEST_F(MeetingsTest, ReadersDoNotMeet) {
  create();
  create();
  read(1, 0x1000, 'a');
  read(2, 0x1000, 'b');
  EXPECT_EQ(at('a').meetings, 0u);
  EXPECT_EQ(at('a').accesses, 0u);
}

TEST_F(MeetingsTest, MemoryThatOneHadAfterTheOtherIsNotShared) {
  create();
  create();
  write(1, 0x1000, 'a');
  write(2, 0x1000, 'b');
  record().trace[record().trace_count - 1].visible = 0;
  EXPECT_EQ(at('b').meetings, 0u);
}

TEST_F(MeetingsTest, NeighboursDoNotMeet) {
  create();
  create();
  write(1, 0x1000, 'a');
  write(2, 0x1004, 'b');
  EXPECT_EQ(at('a').meetings, 0u);
  event(1, OpKind::write, 0x1000, 'c', 16);
  EXPECT_EQ(at('c').meetings, 1u);
  EXPECT_EQ(at('b').meetings, 1u);
}

TEST_F(MeetingsTest, WhatMainDidBeforeIsNoMeeting) {
  write(0, 0x1000, 'm');
  create();
  create();
  write(1, 0x1000, 'a');
  EXPECT_EQ(at('a').meetings, 0u);
  read(0, 0x1000, 'n');  // thread 1 has not been waited for, but is at its end
  EXPECT_EQ(at('n').meetings, 0u);
  write(1, 0x1000, 'b');
  EXPECT_EQ(at('n').meetings, 2u);  // now it was not: with what came before and with this
  EXPECT_EQ(at('b').meetings, 1u);
}

TEST_F(MeetingsTest, OneThreadAfterTheOtherIsNoMeeting) {
  create();
  write(1, 0x1000, 'a');
  create();
  write(2, 0x1000, 'b');
  EXPECT_EQ(at('b').meetings, 0u);
}

TEST_F(MeetingsTest, SynchronisationCountsOnlyWhenAsked) {
  create();
  create();
  event(1, OpKind::mutex_lock, 0x2000, 'a', 0);
  event(2, OpKind::mutex_lock, 0x2000, 'b', 0);
  EXPECT_EQ(at('b').meetings, 0u);
  EXPECT_EQ(at('b', true).meetings, 1u);
}

}  // namespace
}  // namespace jostle::cli
