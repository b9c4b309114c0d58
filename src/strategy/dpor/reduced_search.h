// SPDX-License-Identifier: Apache-2.0
// All executions of a program, those that differ only in the order of independent actions once.
//
// Optimal dynamic partial-order reduction with wakeup trees: Abdulla, Aronis, Jonsson, Sagonas,
// "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM 2017. A pure
// algorithm that runs nothing itself. It is asked who goes next, is shown what was executed, and
// finds at the end of a run which other orders of its events would have been different executions:
//
//   do {
//     search.begin_run();
//     while (somebody is enabled) {
//       thread = search.next(enabled threads);
//       execute, asking search.choice(…) for every other choice; search.executed(what it did);
//     }
//     search.blocked(each thread that waits);
//   } while (search.end_run());
//
// The path of the present run is a list of levels, one for each state on it. A level has a wakeup
// tree, what is still to be run from its state; the first child is being run. And it has a sleep
// set: steps whose executions have all been run, so that no run has to begin with them before
// something that depends on them has been executed.
//
// Invariants, which hold if dependence (footprint.h) is not too small and the program is
// deterministic:
//   (I1) no run ends because everybody who is enabled is asleep: sleep_blocked_runs() is 0
//   (I2) no two runs have the same happens-before
//   (I3) a planned step is enabled when its turn comes                   \ trouble()
//   (I4) a run repeats what the run before did on the path they share    /
//
// Where this differs from the paper: choices belong to the step in which they are asked for, and
// all others are planned where the first was taken. What an action that reads before it writes will
// do in its new place is computed when a reversal is planned, and corrected when it is executed.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/strategy/dpor/action.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"
#include "src/strategy/dpor/reversals.h"
#include "src/strategy/dpor/run_events.h"
#include "src/strategy/dpor/wakeup_tree.h"
#include "src/strategy/dpor/work/byte_stream.h"
#include "src/strategy/dpor/work/work_tree.h"

namespace jostle::dpor {

enum class Trouble : uint8_t {
  none,
  not_enabled,  // (I3)
  differs,      // (I4)
  too_long,     // there is no room for what a run was asked
};

class ReducedSearch {
 public:
  // Null: the program has no awaits.
  explicit ReducedSearch(const AwaitConditions* conditions = nullptr);

  void begin_run();
  // `enabled`: at least one. Prefers `current` where it is free to. kNone: the run ends here.
  Thread next(const Thread* enabled, uint32_t count, Thread current = kNone);
  // Would `next` take this one if it is enabled and was current?
  bool would_take(Thread thread);
  // What the thread that executes its action now is to take, as the i-th choice in it.
  uint32_t choice(Thread thread, uint32_t i, uint32_t alternatives) const;
  // A thread has executed its action: the one of the last `next`, or the only one that is enabled.
  // A run that was made with a copy of this search (in a process of its own) is repeated by telling
  // this one of the same actions, without asking.
  void executed(const Action& action);
  // Instead: its action had no effect at all, and it can no longer go on (an await whose condition
  // was not known): as if it had not been picked.
  void retract(Thread thread);
  // The last event has taken this action away from its thread, which could have executed it before:
  // a signal came instead of the time-out.
  void taken_away(const Action& action);
  // The thread waits in front of this action, which blocks, and will not execute it any more: the
  // run is over, or its time is up.
  void blocked(const Action& action);
  // `next` said kNone; called only where the run was made elsewhere.
  void gave_up();
  // True: there is another run to be made. False: all have been, or there is trouble.
  bool end_run();

  Trouble trouble() const { return trouble_; }
  // The event of the run at which there was.
  uint32_t trouble_at() const { return trouble_at_; }
  uint64_t runs() const { return runs_; }
  uint64_t sleep_blocked_runs() const { return sleep_blocked_runs_; }
  uint64_t races() const { return races_found_; }
  // How many runs there will have been, by the share of branches that are done on the present path.
  double estimate() const;
  // Runs that ended at once when their last plan was retracted; they are not among the runs.
  // Steps of trees and sleep sets.
  size_t nodes_in_use() const { return tree_.nodes_in_use(); }
  const RunEvents& events() const { return events_; }
  uint32_t event_count() const { return events_.size(); }

  // As new, in the same memory.
  void restart();

  // From here on: which race of which run is reversed by which run, for who draws it.
  void keep_origins() { keeps_origins_ = true; }
  void stop_origins() {
    keeps_origins_ = false;
    origin_of_node_.clear();
  }
  // Reversals that runs have planned, in their order: events of the run. A choice that is made
  // otherwise has no second (kNone).
  const EngineVector<EventPair>& origins() const { return origins_; }
  // That which has led to the present run; kNone: it is the first, or it is not known.
  uint32_t origin() const { return origin_; }

  // A part of a search, of which others explore the rest: work_tree.h. To it belong the tables in
  // which steps are kept.
  FootprintTable* footprints() { return &footprints_; }
  ChoicePaths* paths() { return &paths_; }
  // From here on this is explored; `end_run` says false when there is none left of it.
  void begin_work(const Work& work);
  uint64_t runs_of_work() const { return runs_of_work_; }
  // Its first step, as it was executed. False: it has not been.
  bool first_step(Step* to) const {
    *to = first_step_;
    return has_first_step_;
  }
  // Steps to be taken from states that are not part of it, found in the last run.
  struct Elsewhere {
    uint32_t depth;
    uint32_t first, count;  // in `steps_elsewhere`
  };
  const EngineVector<Elsewhere>& elsewhere() const { return elsewhere_; }
  const EngineVector<Step>& steps_elsewhere() const { return steps_elsewhere_; }
  // Between runs. How many states of the work have to be published until others have work, too; 0:
  // it would cost more than it brings. `most_steps`: WorkTree's.
  uint32_t states_to_share(uint32_t most_steps) const;
  // The first state, with what waits there; it is no longer part of the work.
  void hand_over_first(PublishedState& to);

  // Between runs: what is left of the work, and back.
  void write_work(ByteWriter& to, const ThreadNames& threads) {
    to.number(base_);
    write(to, threads);
  }
  bool read_work(ByteReader& from, ThreadNames& threads);

  // Between runs: all that another search needs to go on from here.
  void write(ByteWriter& to, const ThreadNames& threads);
  // False: it is damaged, and this is as new.
  bool read(ByteReader& from, ThreadNames& threads);

 private:
  struct Level {
    WakeupTree::Node node;
    WakeupTree::Node sleep;
    uint32_t finished_children;
    uint64_t finished_runs;
  };

  Step fresh_step(const Thread* enabled, uint32_t count, Thread current);
  void drop_until(Thread thread);
  bool is_asleep(const Level& level, Thread thread, ChoicePath* path);
  void add_level(const Level& above, WakeupTree::Node node);
  void plan_reversals();
  void plan_choices();
  bool is_included(const Level& level);
  bool leave_sleep(const Level& level, size_t step);
  void plan(uint32_t depth, const EventPair& origin);  // sequence_
  void note_origin(WakeupTree::Node added, const EventPair& origin);
  bool backtrack(uint64_t runs_below);
  void stop(Trouble trouble);
  bool read_level(ByteReader& from, ThreadNames& threads, bool is_last);

  FootprintTable footprints_;
  ChoicePaths paths_;
  WakeupTree tree_;
  RunEvents events_;
  Reversals reversals_;
  EngineVector<Level> levels_;
  uint32_t base_ = 0;      // so many of them belong to others
  uint32_t repeated_ = 0;  // so many events of the run are those of the run before
  uint64_t runs_of_work_ = 0;
  bool has_plan_ = true;  // false: the plan of the work's state was retracted, by somebody else
  Step first_step_ = {};
  bool has_first_step_ = false;
  EngineVector<Elsewhere> elsewhere_;
  EngineVector<Step> steps_elsewhere_;
  EngineVector<EventPair> races_;
  EngineVector<Step> sequence_;
  EngineVector<WakeupTree::Planned> planned_;
  EngineVector<Part> parts_;
  bool keeps_origins_ = false;
  EngineVector<EventPair> origins_;
  EngineVector<uint32_t> origin_of_node_;
  uint32_t origin_ = kNone;
  bool is_sleep_blocked_ = false;
  bool has_retracted_ = false;  // since the last event
  Trouble trouble_ = Trouble::none;
  uint32_t trouble_at_ = 0;
  uint64_t runs_ = 0;
  uint64_t sleep_blocked_runs_ = 0;
  uint64_t races_found_ = 0;
};

}  // namespace jostle::dpor
