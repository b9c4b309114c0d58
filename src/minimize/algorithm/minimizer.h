// SPDX-License-Identifier: Apache-2.0
// Makes a failing schedule small: fewest stale reads of weak memory, fewest preemptions, then
// fewest unusual choices, fewest switches, fewest events.
//
// Delta debugging over the segments of the smallest failing run so far. A candidate is that run's
// log with something left out: a stretch of segments, what others do between two segments of a
// thread, a single preemption. It is followed loosely (guide.h), so that what a change makes
// impossible falls away by itself; and segments that ended in a wait have no end in a candidate,
// but last until the thread waits again. A candidate that fails in the same way and costs less is
// the new smallest, as it *ran*: its own segments are what the next candidates are made of.
//
// When nothing can be left out any more, every preemption moves to the last place where it still
// matters. One further and the run passes: those runs, the neighbours, show what the failure hangs
// on.
//
// All this learns between runs only: who runs the candidates tells it how each one ended.
#pragma once

#include <compare>

#include "src/base/rng.h"
#include "src/strategy/guided/guide.h"

namespace jostle {

struct ScheduleCost {
  uint64_t of_memory = 0;  // stores that are read although there is a newer one, or come late
  uint64_t preemptions = 0;
  uint64_t choices = 0;  // others that are not the usual one: an early time-out, another waiter
  uint64_t switches = 0;
  uint64_t events = 0;
  auto operator<=>(const ScheduleCost&) const = default;  // NOLINT(modernize-use-nullptr)
};
ScheduleCost cost_of(const channel::Schedule& schedule, uint64_t events);

class Minimizer final : public GuidedStrategy {
 public:
  // `failing`: the log of a run that is known to fail.
  explicit Minimizer(const channel::Schedule& failing);

  // Makes the next candidate. False: this stage has none left.
  bool next_candidate();
  // Makes the next candidate of the last stage: a change of the smallest schedule that is as small
  // as possible and may let it pass.
  bool next_neighbour();
  // It did: larger changes of the same kind are of no interest.
  void neighbour_passed();

  enum class Verdict { same_failure, passes, other };
  // How the candidate's run ended. True: it is the smallest one so far.
  bool judge(const channel::RunRecord& run, Verdict verdict);
  // A run that did not come from here failed in the same way. True: it is the smallest so far, and
  // there are new candidates.
  bool take(const channel::RunRecord& run);

  // For the search for a smaller input: the next run follows the smallest schedule as far as it
  // goes; and a run with another input that fails in the same way counts, whatever it costs.
  void follow_best() { log_all(); }
  void adopt(const channel::RunRecord& run) {
    keep(run, cost_of(run.schedule, run.events));
    stage_ = Stage::shortcuts;
    attempt_ = at_ = 0;
  }

  bool has_reproduced() const { return reproduced_; }
  const ScheduleCost& cost() const { return cost_; }

 private:
  struct Segment {
    uint32_t thread;
    bool preempted;
    uint64_t until;
  };
  enum class Stage {
    as_it_is,
    shortcuts,
    chunks,
    gaps,
    run_on,
    choices,
    random,
    places,
    later,
    done
  };

  bool candidate_of(Stage stage);
  void start_round();
  void advance();
  void keep(const channel::RunRecord& run, const ScheduleCost& cost);
  // The log for the smallest schedule without the segments from `first` to `last` (exclusive).
  void log_without(size_t first, size_t last);
  void log_all() { log_without(0, 0); }
  // The next preempted segment from `from` on; the number of segments when there is none.
  size_t preempted_from(size_t from) const;
  // The next segment of the same thread behind `segment`.
  size_t resumed_at(size_t segment) const;
  void change_at_random();
  bool other_place(uint64_t number);
  bool make_neighbour(size_t group, uint64_t attempt);
  void add_tail();

  EngineVector<Segment> best_;
  EngineVector<GuideLog::Choice> choices_;
  ScheduleCost cost_;
  bool reproduced_ = false;
  Stage stage_ = Stage::as_it_is;
  uint64_t attempt_ = 0;  // in this stage
  size_t at_ = 0;         // where the stage is in the segments (or choices)
  size_t chunk_ = 0;
  uint64_t step_ = 1;  // of a preemption that moves
  bool improved_ = false;
  size_t neighbours_ = 0;  // groups of neighbours that are done
  uint64_t neighbour_attempt_ = 0;
  uint32_t threads_known_ = 1;
  Rng rng_;
};

}  // namespace jostle
