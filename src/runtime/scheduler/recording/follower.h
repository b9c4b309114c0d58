// SPDX-License-Identifier: Apache-2.0
// Follows a recorded schedule segment by segment, and says exactly where a run leaves it.
#pragma once

#include "src/base/check.h"
#include "src/schedule/run_end.h"
#include "src/schedule/schedule.h"

namespace jostle::rt {

struct Thread;

class Follower {
 public:
  void start(const channel::Schedule* input, channel::Divergence* divergence) {
    JOSTLE_CHECK_LE(input->segment_count, channel::kMaxSegments);
    JOSTLE_CHECK_LE(input->choice_count, channel::kMaxChoices);
    input_ = input;
    divergence_ = divergence;
    segment_ = choice_ = of_operation_ = 0;
  }
  void stop() { input_ = nullptr; }
  bool active() const { return input_ != nullptr; }
  // All segments are used up; what follows runs without preemption.
  bool at_end() const { return segment_ >= input_->segment_count; }
  const channel::Segment& segment() const {
    JOSTLE_CHECK(!at_end());
    return input_->segments[segment_];
  }

  // At which of its events the running thread must be looked at; UINT64_MAX: never.
  uint64_t stop_for(const Thread& thread) const;
  // The running thread has published its next operation. True: it goes on. False: its segment is
  // over and `next_thread` tells who follows.
  bool goes_on(const Thread& thread, bool is_enabled);
  // Asked before that: is the recording there where time passed (SegmentEnd)?
  bool time_passes_at(const Thread& thread) const;
  // The segment that is over ended because its thread let others go first.
  bool gave_way() const {
    return segment_ > 0 && input_->segments[segment_ - 1].forced == channel::kGaveWay;
  }
  uint32_t next_thread();
  uint32_t next_choice(ChoiceKind kind, uint32_t alternatives, const Thread& thread);
  // The same for one that is_of_operation, at the running thread's event: most are 0, and not in
  // the log.
  uint32_t choice_of_operation(ChoiceKind kind, uint32_t alternatives, const Thread& thread);

  [[noreturn]] void diverge(const Thread& thread, const char* what);

 private:
  const channel::Schedule* input_ = nullptr;
  channel::Divergence* divergence_ = nullptr;
  uint32_t segment_ = 0;
  uint32_t choice_ = 0;
  uint32_t of_operation_ = 0;  // the next choice that is
};

}  // namespace jostle::rt
