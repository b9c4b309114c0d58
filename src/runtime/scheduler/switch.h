// SPDX-License-Identifier: Apache-2.0
// The switch from one thread to the next, and its place in the log: inlined where it happens at
// every other operation.
#pragma once

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/meetings.h"
#include "src/runtime/scheduler/plain_decision.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

inline void Scheduler::log_switch(Thread& from, channel::SegmentEnd why) {
  if (busy_.segment_ended) {
    busy_.segment_ended = false;
    return;
  }
  JOSTLE_CHECKED(check_segment(from));
  channel::RunRecord& run = record();
  ++run.switches;
  uint64_t& digest = run.schedule.digest;
  digest = combine(digest, from.events << 20 ^ from.index ^ 0x5);
  if (run.schedule.segment_count == channel::kMaxSegments) {
    run.log_overflow = 1;
    return;
  }
  run.schedule.segments[run.schedule.segment_count++] = {
      from.index, from.pending.kind, why, 0, from.events, code_location(from.pending.pc)};
}

inline void Scheduler::switch_to(Thread& next) {
  Thread& from = *current_;
  JOSTLE_CHECK_NE(&from, &next);
  JOSTLE_CHECK(next.live && is_enabled(next));
  JOSTLE_CHECK(next.context.sp != nullptr && next.context.tp != nullptr);
  if (g_meetings_wanted) note_switch(from, next);
  const uint64_t now = total_events();
  events_of_others_ = now;
  current_ = g_current = &next;
  events_at_resume_ = next.events;
  arm_plainly(next, now);
  jostle_switch(&from.context.sp, next.context.sp, next.context.tp);
  // Back again: the fiber that switched to us has set current_.
  JOSTLE_CHECK_EQ(current_, &from);
  JOSTLE_CHECK_EQ(g_current, &from);
  JOSTLE_CHECK_EQ(thread_pointer(), from.context.tp);
}

// `t` stops in front of an operation that it could execute, in a run of plain decisions.
inline void Scheduler::leave_plainly(Thread& t, Thread& next) {
  JOSTLE_CHECK(!recording_ && !follower_.active() && is_enabled(t));
  const bool gives_way = t.aside || t.pending.kind == OpKind::yield;
  log_switch(t, gives_way ? channel::kGaveWay : channel::kPreempted);
  switch_to(next);
}

}  // namespace jostle::rt
