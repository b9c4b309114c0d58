// SPDX-License-Identifier: Apache-2.0
// Races of a run, and the sequences of steps that reverse them.
//
// A race is a pair of dependent events of two threads of which the second could have been executed
// where the first was. Let E' be the run before the first event and v all later events that did not
// happen after it: E' v is a run, too, and the second is the thread's next action there. The race
// is reversible if that action is enabled after E' v.
//
// For actions that never block, races are those without another event in between. An action that
// blocks may have to move farther: a lock cannot come before the unlock that let it in, but before
// the acquisition in front of that. So the events that it depends on are tried from the latest to
// the earliest; what happened before a reversible one is left to the run that reverses it. Threads
// that wait at the end of the run take part with the action in front of which they wait, and
// threads that were about to do one thing when another event made them do another (a signal came
// before the time-out) with what they missed.
//
// Where this differs from the paper (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 2017):
// the enabled state of the second event is computed by following its object (object_state.h)
// instead of being known for locks only; and if others hold the lock at the end of v, they are left
// out of it. Any v that is closed under happens-before is a run, so no run is redundant because of
// it.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/strategy/dpor/object_state.h"
#include "src/strategy/dpor/run_events.h"
#include "src/strategy/dpor/wakeup_tree.h"

namespace jostle::dpor {

struct EventPair {
  uint32_t first, second;
};

class Reversals {
 public:
  // All outlive this. `conditions` may be null if there are no awaits.
  Reversals(FootprintTable* footprints, ChoicePaths* paths, const AwaitConditions* conditions)
      : footprints_(footprints), paths_(paths), conditions_(conditions) {}

  // REQUIRES: events.order(). All reversible races.
  void find(const RunEvents& events, EngineVector<EventPair>& races);

  // REQUIRES: `race` is one that `find` found in `events`. The steps to take from the state before
  // its first event.
  void sequence(const RunEvents& events, const EventPair& race, EngineVector<Step>& to);

 private:
  void find_before(const RunEvents& events, uint32_t second, EngineVector<EventPair>& races);
  // Selects v, and tells whether the second event is enabled after E' v.
  bool select(const RunEvents& events, const EventPair& race);
  void select_independent(const RunEvents& events, const EventPair& race);
  // Leaves out of v somebody who holds the object at its end, and what happened after that.
  bool leave_out_holder(const RunEvents& events, const EventPair& race, uint32_t object);
  // Follows the i-th object of the second event through E' v.
  void follow(const RunEvents& events, const EventPair& race, uint32_t i);
  bool is_enabled(const RunEvents& events, const EventPair& race);
  Step step_of_second(const RunEvents& events, const EventPair& race);
  ChoicePath path_to(Thread woken);
  // `event` wakes several threads, of others than wait in `state_`.
  bool is_changed_queue(const RunEvents& events, const RunEvent& event) const;

  FootprintTable* footprints_;
  ChoicePaths* paths_;
  const AwaitConditions* conditions_;
  EngineVector<uint8_t> selected_;  // by event: is it in v
  EngineVector<uint32_t> clock_;
  EngineVector<uint32_t> start_;  // clock: what cannot be left out of v
  EngineVector<uint32_t> cursors_;
  EngineVector<uint32_t> history_;
  EngineVector<int32_t> balance_;  // by thread
  EngineVector<Part> parts_;
  ObjectState state_;
};

}  // namespace jostle::dpor
