// SPDX-License-Identifier: Apache-2.0
// All executions of a program that have a schedule with at most k preemptions.
//
// A preemption is a switch away from a thread that could go on. Of an execution's schedules, which
// differ in the order of independent actions, the one with the fewest counts.
//
// Why this is no ReducedSearch that leaves out what has too many: a reduced search finds an
// execution by reversing a race of another one, and the other may have more preemptions than both
// the bound and the one that is found (Coons, Musuvathi, McKinley: Bounded Partial-Order Reduction,
// OOPSLA 2013). How many more depends on the detour. So here schedules are enumerated, depth first,
// with their preemptions counted, and three things are left out of which it can be shown that they
// lead to no other execution:
//
//   (1) What follows a beginning that was there before. Two beginnings with the same
//       happens-before are in the same state. A schedule that comes there again with the same
//       current thread and no more preemptions left finds nothing new; nor, with any current
//       thread, one with fewer of them left (the first step costs one at most), or where the
//       current thread of the first could not go on.
//   (2) A preemption in front of an action none of whose objects is contended. If a schedule
//       Y a Z preempts thread t in front of its action a, and Y does nothing that a depends on,
//       then a Y Z is the same execution with no more preemptions: t is left behind a instead of in
//       front of it. Only if a lets a thread of Y go on that had to wait there, that thread is now
//       left although it can go on; but then the two have an object in common.
//   (3) Choices are free, and threads that are alone have none.
//
// An object is contended if, in any run so far, an action depended on an action of another thread
// because of it and nothing else. Whenever a run shows that one more is, the search begins anew: a
// run in which the action of (2) is followed by one that depends on it has as few preemptions as
// the schedule it would be left out for, so that it is made before the search ends.
//
// The interface is that of ReducedSearch. Invariants: (I3) and (I4) of that.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/index_table.h"
#include "src/strategy/dpor/action.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"
#include "src/strategy/dpor/prefix_order.h"
#include "src/strategy/dpor/reduced_search.h"

namespace jostle::dpor {

// More than any search comes to the end of.
inline constexpr uint32_t kMostPreemptions = 1'000'000;

class PreemptionSearch {
 public:
  explicit PreemptionSearch(const AwaitConditions* = nullptr) {}
  // Before the first run.
  void set_bound(uint32_t bound) { bound_ = bound; }
  uint32_t bound() const { return bound_; }
  const FootprintTable* footprints() const { return &footprints_; }

  void begin_run();
  // `current`: who could go on without being preempted, if it is enabled.
  Thread next(const Thread* enabled, uint32_t count, Thread current = kNone);
  bool would_take(Thread thread) const;
  uint32_t choice(Thread thread, uint32_t i, uint32_t alternatives) const;
  void executed(const Action& action);
  void retract(Thread thread);
  void taken_away(const Action& action) { missed(action); }
  void blocked(const Action& action) { missed(action); }
  void gave_up() { is_given_up_ = true; }
  bool end_run();

  Trouble trouble() const { return trouble_; }
  uint32_t trouble_at() const { return trouble_at_; }
  // Executions so far; and runs, which are more: of those that come to a known state the rest is
  // not made.
  uint64_t runs() const { return executions_; }
  uint64_t runs_made() const { return runs_made_; }
  uint64_t sleep_blocked_runs() const { return 0; }
  // Of executions.
  double estimate() const;
  // Nothing was left out for having too many preemptions.
  bool is_everything() const { return !was_cut_; }
  // The last run has made it begin anew: nothing is explored.
  bool has_begun_anew() const { return has_begun_anew_; }
  uint32_t event_count() const { return order_.size(); }

  void restart();

 private:
  struct Level {
    Thread current;   // could go on: all others cost a preemption; kNone: they cost nothing
    uint32_t left;    // preemptions, before the step
    Thread thread;    // of the step that is being explored
    ChoicePath path;  // how its choices begin; all of them when it has been executed
    Footprint footprint;
    bool is_contended;                  // the current thread's action
    uint32_t first_other, other_count;  // in others_: threads that have not been tried
    uint32_t finished_children;
  };

  // Questions of this run, as `next` was asked them, in memory that runs in processes of their own
  // share: a number of words, then of each its depth, the current thread, the number of threads and
  // these.
  struct Questions {
    static constexpr uint32_t kMost = 1 << 22;
    uint32_t count;
    bool is_full;
    uint32_t words[kMost];
  };

  struct Known {
    uint64_t key;
    uint32_t left;
  };

  void missed(const Action& action);
  void ask(uint32_t depth, const Thread* enabled, uint32_t count, Thread current);
  void add_level(Thread thread);
  uint32_t left_at(uint32_t depth) const;
  bool is_known(Thread current, uint32_t left) const;
  void note_known(Thread current, uint32_t left);
  uint32_t known(uint64_t key) const;  // 0: no; else one more than the preemptions that were left
  void note(uint64_t key, uint32_t left);
  uint64_t key_of(Thread current) const;
  bool may_switch(const Level& level) const;
  // The next step from there; false: there is none.
  bool advance(Level& level);
  bool take_other(Level& level);
  bool take_other_path(Level& level);
  void pop_level();
  bool backtrack();
  void begin_anew();
  void stop(Trouble trouble);

  uint32_t bound_ = 0;
  FootprintTable footprints_;
  ChoicePaths paths_;
  PrefixOrder order_{&footprints_};
  Questions* questions_ = nullptr;
  uint32_t read_ = 0;  // of their words
  EngineVector<Level> levels_;
  EngineVector<Thread> others_;
  EngineVector<Thread> retracted_;  // since the last event
  EngineVector<Known> known_;
  IndexTable known_table_;
  bool is_given_up_ = false;
  bool has_begun_anew_ = false;
  bool has_uncertain_ = false;  // actions of which it is not known before whether they go on
  bool was_cut_ = false;
  Trouble trouble_ = Trouble::none;
  uint32_t trouble_at_ = 0;
  uint64_t executions_ = 0;
  uint64_t runs_made_ = 0;
};

}  // namespace jostle::dpor
