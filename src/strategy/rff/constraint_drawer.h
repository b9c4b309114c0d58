// SPDX-License-Identifier: Apache-2.0
// Chooses what an abstract schedule asks for next: a constraint that is worth a run.
//
// Of all that a read could observe most is of no interest, and much is impossible. So, by turns:
// - what breaks up two accesses of a thread that look like one step: a write of another thread
//   between two reads, or between a read and a write (the patterns of atomicity violations);
// - what was discovered last: few runs get as far as that;
// - what is used without a lock, or with atomic operations: a write that a read has never observed,
//   or one that it is not to observe again;
// - anything at all, by place: a thousand objects that are read at one place are one thing to try,
//   not a thousand.
// What was tried without success is not tried for ever.
#pragma once

#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/schedule/hub.h"
#include "src/strategy/rff/event_tables.h"

namespace jostle {

class ConstraintDrawer {
 public:
  explicit ConstraintDrawer(EventTables& tables) : tables_(tables) {}

  // False when there is nothing to try. At `first` only what promises most, the best of it first.
  bool draw(Rng& rng, bool first, Constraint& constraint);

 private:
  using Location = EventTables::Location;
  using Place = EventTables::Place;

  bool draw_between(Rng& rng, Constraint& constraint);
  bool draw_between(Rng& rng, bool raced, Again again, Constraint& constraint);
  bool draw_read_after(Rng& rng, const KnownEvent& second, bool is_inside,
                       Constraint& constraint) const;
  bool draw_write_after(Rng& rng, const KnownEvent& second, Constraint& constraint) const;
  bool draw_fresh(Rng& rng, Constraint& constraint);
  bool draw_start(const KnownEvent& read, Constraint& constraint);
  bool draw_raced(Rng& rng, Constraint& constraint);
  bool draw_raced_at(Rng& rng, const Place& place, bool negative, uint32_t& looked_at,
                     Constraint& constraint);
  void begin_round();
  bool draw_any(Rng& rng, Constraint& constraint);
  // Those writes of its location that the read could observe, in `choices_`; the value before all
  // writes is the first.
  void collect_choices(const KnownEvent& read);
  // One of `choices_` that the read has observed, or one that it has not; false: there is none.
  bool choose_write(Rng& rng, uint64_t read, bool observed, Constraint& constraint) const;

  EventTables& tables_;
  uint64_t nothing_between_since_ = UINT64_MAX;  // EventTables::changes
  EngineVector<uint64_t> choices_;
};

}  // namespace jostle
