// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/recording/follower.h"

#include <cstdio>

#include "src/base/check.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

uint64_t Follower::stop_for(const Thread& thread) const {
  if (at_end() || segment().thread != thread.index) return UINT64_MAX;
  return segment().until;
}

bool Follower::time_passes_at(const Thread& thread) const {
  return !at_end() && segment().forced == channel::kTimePassed &&
         segment().thread == thread.index && segment().until == thread.events;
}

bool Follower::goes_on(const Thread& thread, bool is_enabled) {
  if (at_end()) return is_enabled && !thread.aside;
  JOSTLE_CHECK(active() && divergence_ != nullptr);
  const channel::Segment& now = segment();
  if (now.thread != thread.index) diverge(thread, "another thread runs than the recording has");
  if (thread.events < now.until) {
    if (thread.finished) diverge(thread, "the thread ended earlier than in the recording");
    if (!is_enabled) diverge(thread, "the thread has to wait where the recording ran on");
    return true;
  }
  if (thread.events > now.until) diverge(thread, "the thread ran past the end of its segment");
  if (now.stopped_at == OpKind::none) {  // the end of the recorded run
    ++segment_;
    return false;
  }
  if (thread.pending.kind != now.stopped_at) diverge(thread, "another operation than recorded");
  if (now.location && code_location(thread.pending.pc) != now.location) {
    diverge(thread, "the operation comes from another place in the program");
  }
  ++segment_;
  return false;
}

uint32_t Follower::next_thread() { return at_end() ? UINT32_MAX : segment().thread; }

uint32_t Follower::next_choice(ChoiceKind kind, uint32_t alternatives, const Thread& thread) {
  while (choice_ < input_->choice_count && is_of_operation(input_->choices[choice_].kind))
    ++choice_;
  if (choice_ >= input_->choice_count) return 0;
  const channel::Choice& choice = input_->choices[choice_];
  if (choice.kind != kind || choice.alternatives != alternatives) {
    diverge(thread, "the program asks for another choice than recorded");
  }
  ++choice_;
  JOSTLE_CHECK_LE(choice_, channel::kMaxChoices);
  return choice.picked;
}

uint32_t Follower::choice_of_operation(ChoiceKind kind, uint32_t alternatives,
                                       const Thread& thread) {
  uint32_t& next = of_operation_;
  while (next < input_->choice_count && !is_of_operation(input_->choices[next].kind)) ++next;
  if (next >= input_->choice_count) return 0;
  const channel::Choice& choice = input_->choices[next];
  if (choice.thread != thread.index || choice.event != thread.events) return 0;
  // An operation may have several.
  if (choice.kind != kind && is_of_access(kind) && is_of_access(choice.kind)) return 0;
  if (choice.kind != kind || choice.picked >= alternatives) {
    diverge(thread, "the operation has another choice than recorded");
  }
  ++next;
  return choice.picked;
}

void Follower::diverge(const Thread& thread, const char* what) {
  channel::Divergence& d = *divergence_;
  d.segment = segment_;
  d.step = g_scheduler.steps();
  d.thread = thread.index;
  d.actual_kind = thread.pending.kind;
  d.actual_event = thread.events;
  d.actual_location = code_location(thread.pending.pc);
  if (!at_end()) {
    d.expected_kind = segment().stopped_at;
    d.expected_event = segment().until;
    d.expected_location = segment().location;
  }
  std::snprintf(d.what, sizeof d.what, "%s", what);
  end_run(channel::Outcome::diverged, what);
}

}  // namespace jostle::rt
