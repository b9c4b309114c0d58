// SPDX-License-Identifier: Apache-2.0
// `interleavings`: all orders of all steps, one by one, and how many different executions they are.
// What `dpor` has to find with one run each; for programs that are small enough, its oracle.
#include "src/base/index_table.h"
#include "src/strategy/dpor/footprint.h"
#include "src/strategy/dpor/run_events.h"
#include "src/strategy/dpor/trail_reader.h"
#include "src/strategy/exhaustive/exhaustive.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class Interleavings : public ExhaustiveSearch {
 public:
  Interleavings() : ExhaustiveSearch(SchedulingGraph::Search::first) { manner_.trail = trail_; }

  void after_run(const channel::RunRecord& run) override {
    reader_.begin_run();
    events_.clear();
    const bool has_ended = run.end.outcome == channel::Outcome::exited;
    const bool ends_matter = has_ended && trail_->leaves_threads && !ends_matter_;
    if (ends_matter) {
      ends_matter_ = true;
      reader_.ends_matter();
    }
    for (uint32_t i = 0; i < trail_->step_count; ++i) {
      const TrailStep& step = trail_->steps[i];
      reader_.is_event(events_.size());
      if (step.is_in_vain) continue;
      const bool is_end = has_ended && i + 1 == trail_->step_count;
      const dpor::Action& action = reader_.action_of(*trail_, step, is_end);
      dpor::ChoicePath path = dpor::kNoChoice;
      for (uint32_t c = 0; c < action.choice_count; ++c) {
        path = paths_.extended(path, action.choices[c].taken, action.choices[c].alternatives);
      }
      events_.add(action, footprints_.of(action.parts, action.part_count), path);
    }
    if (ends_matter || run.newly_shared || trail_->has_learned || reader_.has_become_finer()) {
      seen_.clear();
      seen_table_.clear();
      footprints_.clear();
      reader_.start_over();
      blocked_ = deadlocks_ = 0;
      return start_over();
    }
    if (gap_ == TrailGap::none) gap_ = reader_.gap_of(*trail_, run);
    events_.order(footprints_);
    note(events_.identity(), run.end.outcome == channel::Outcome::deadlock);
    ExhaustiveSearch::after_run(run);
  }

  channel::Exploration exploration() const override {
    channel::Exploration state = ExhaustiveSearch::exploration();
    state.is_reduced = 1;
    state.explored = seen_.size();
    state.estimate = state.explored;
    state.blocked = blocked_;
    state.deadlocks = deadlocks_;
    state.gap = gap_;
    state.everything = state.everything && gap_ == TrailGap::none;
    return state;
  }

 private:
  void note(uint64_t identity, bool is_deadlock) {
    const auto same = [&](uint32_t i) { return seen_[i] == identity; };
    if (seen_table_.find(identity, same) != IndexTable::kNotThere) return;
    seen_.push_back(identity);
    blocked_ += trail_->is_blocked;
    deadlocks_ += is_deadlock;
    seen_table_.add(static_cast<uint32_t>(seen_.size() - 1),
                    [this](uint32_t i) { return seen_[i]; });
  }

  ActionTrail* trail_ = dpor::new_trail();
  dpor::TrailReader reader_;
  dpor::FootprintTable footprints_;
  dpor::ChoicePaths paths_;
  dpor::RunEvents events_;
  EngineVector<uint64_t> seen_;
  IndexTable seen_table_;
  uint64_t blocked_ = 0, deadlocks_ = 0;
  bool ends_matter_ = false;
  TrailGap gap_ = TrailGap::none;
};

}  // namespace

JOSTLE_STRATEGY(kInterleavings) = {"interleavings",
                                   "all interleavings; how many executions they are, to check dpor",
                                   {},
                                   made<Interleavings>,
                                   true};

}  // namespace jostle
