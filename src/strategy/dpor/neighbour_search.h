// SPDX-License-Identifier: Apache-2.0
// All executions around one of them: those that differ from it by at most k reversed races.
//
// The first run is the execution in the middle; the caller makes it. From every execution all
// of its reversible races (reversals.h) are reversed, one at a time: what did not happen after the
// first event of a race stays as it was, then comes the second event, and the rest follows in the
// order it had, as far as threads can go on so. That is one execution, one reversal farther away.
// A choice that is not about threads, made otherwise, counts like a race.
//
// Breadth first, ring by ring: an execution that is met again was met with no more reversals. Kept
// are the executions of the present ring, in the order of their steps, and what is to be run from
// them: of each the events that stay, which is a number per thread since they are closed under
// happens-before.
//
// Where this differs from ReducedSearch: an execution may be met by several reversals, so that
// there are more runs than executions. In return the distance is a property of the execution, and
// no sleep set leaves out a neighbour because it is somebody else's, too. Without a radius all
// executions are met: the argument is that of the paper, whose runs go on in any way behind a
// reversal.
//
// The interface is that of ReducedSearch. Invariants: (I3) and (I4) of that.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/index_table.h"
#include "src/strategy/dpor/action.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"
#include "src/strategy/dpor/reduced_search.h"
#include "src/strategy/dpor/reversals.h"
#include "src/strategy/dpor/run_events.h"

namespace jostle::dpor {

// More than any search comes to the end of.
inline constexpr uint32_t kMostReversals = 1'000'000;

class NeighbourSearch {
 public:
  // Null: the program has no awaits.
  explicit NeighbourSearch(const AwaitConditions* conditions = nullptr)
      : reversals_(&footprints_, &paths_, conditions) {}
  // Before the first run.
  void set_radius(uint32_t radius) { radius_ = radius; }
  uint32_t radius() const { return radius_; }
  const FootprintTable* footprints() const { return &footprints_; }

  // The next run is the one in the middle: who goes next is not for the search to say.
  bool is_middle() const { return runs_made_ == 0; }

  void begin_run();
  Thread next(const Thread* enabled, uint32_t count, Thread current = kNone);
  bool would_take(Thread thread) const;
  uint32_t choice(Thread thread, uint32_t i, uint32_t alternatives) const;
  void executed(const Action& action);
  void retract(Thread thread);
  void taken_away(const Action& action) { missed(action, true); }
  void blocked(const Action& action) { missed(action, false); }
  void gave_up() { is_given_up_ = true; }
  bool end_run();

  Trouble trouble() const { return trouble_; }
  uint32_t trouble_at() const { return trouble_at_; }
  // Executions so far; and runs, which are more.
  uint64_t runs() const { return known_.size(); }
  uint64_t runs_made() const { return runs_made_; }
  uint64_t sleep_blocked_runs() const { return 0; }
  double estimate() const;
  // No execution at the radius has a race that could lead beyond it.
  bool is_everything() const { return !was_cut_; }
  uint32_t event_count() const { return events_.size(); }
  const RunEvents& events() const { return events_; }

  void restart();

  // As those of ReducedSearch.
  void keep_origins() { keeps_origins_ = true; }
  void stop_origins() { keeps_origins_ = false; }
  const EngineVector<EventPair>& origins() const { return origins_; }
  uint32_t origin() const {
    return is_middle() || next_plan_ >= present().plans.size() ? kNone
                                                               : present().plans[next_plan_].origin;
  }

 private:
  struct Taken {
    Thread thread;
    ChoicePath path;
  };
  // The steps of an execution: in Ring::steps.
  struct Kept {
    uint64_t first;
    uint32_t count, threads;
  };
  // A reversal.
  struct Plan {
    uint32_t execution;  // of the ring
    uint64_t stays;      // in Ring::counts: of each thread how many events
    Taken next;          // the step behind those
    bool is_uncertain;   // whether it can go on there was not known
    uint64_t identity;   // of the steps that stay, in their order
    uint32_t origin;     // in origins_
  };
  struct Ring {
    EngineVector<Kept> executions;
    EngineVector<Taken> steps;
    EngineVector<Plan> plans;
    EngineVector<uint32_t> counts;
    void clear();
  };

  // A step of this run, as it was in the execution that it is next to.
  struct Expected {
    Taken step;
    bool is_over;
  };

  Ring& present() { return rings_[distance_ % 2]; }
  const Ring& present() const { return rings_[distance_ % 2]; }
  Ring& following() { return rings_[(distance_ + 1) % 2]; }
  void missed(const Action& action, bool is_taken_away);
  void prepare(const Plan& plan);
  // The step that is expected next of a thread, or kNone.
  uint32_t expected_of(Thread thread) const;
  bool is_new();
  void plan_from(Ring& ring);
  void plan_race(Ring& ring, const EventPair& race);
  void plan_choices(Ring& ring);
  void plan(Ring& ring, const Taken& next, bool is_uncertain, const EventPair& origin);
  bool advance();
  void stop(Trouble trouble);

  uint32_t radius_ = 0;
  FootprintTable footprints_;
  ChoicePaths paths_;
  RunEvents events_;
  Reversals reversals_;
  Ring rings_[2];
  uint32_t distance_ = 0;  // of the executions whose reversals are being run
  size_t next_plan_ = 0;   // of their ring
  size_t plans_made_ = 0;  // in all
  size_t executions_expanded_ = 0;

  // This run.
  EngineVector<Expected> expected_;
  uint32_t strict_ = 0;  // so many of them have to be as they were, the reversal included
  uint32_t rest_ = 0;    // the first of the others that is not over
  bool is_uncertain_ = false;
  bool may_end_early_ = false;
  uint64_t expected_identity_ = 0, identity_ = 0;
  bool is_given_up_ = false;

  EngineVector<EventPair> races_;
  EngineVector<Step> sequence_;
  EngineVector<uint32_t> stays_;  // by thread
  EngineVector<uint64_t> known_;  // identities of executions
  IndexTable known_table_;
  bool keeps_origins_ = false;
  EngineVector<EventPair> origins_;
  bool was_cut_ = false;
  Trouble trouble_ = Trouble::none;
  uint32_t trouble_at_ = 0;
  uint64_t runs_made_ = 0;
};

}  // namespace jostle::dpor
