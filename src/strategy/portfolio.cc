// SPDX-License-Identifier: Apache-2.0
// Several strategies side by side, each with a share of the runs: the default, because none of them
// is the best on all programs. Published results have rff and surw complement each other.
//
// The first run is a random walk, and the next few are by turns rff's and a sampler's: rff finds
// what is easy to find in the fewest runs, once a run has shown what there is; but a program that
// fails in every other run drawn at random should not wait for what rff thinks of first. Then each
// run goes to a strategy drawn by its share, and a few to the run without preemption with each
// single delay (delay bounding), because many a bug takes no more, and a sampler may take long to
// hit upon the one place. Programs with callbacks have two of three of the first runs with one
// callback held back instead. A strategy that brings what is new (pairs of a write and a read that
// observed it) for what its runs cost gets a larger share, but none ever loses all of its own.
// Meanwhile the reduced search (dpor) looks whether there are few executions: then the campaign
// ends with all of them explored. Failures that are known are avoided in most of the runs:
// known_failures.h.
//
// rff learns from the runs of all at first. To show it a run costs more than the run of a sampler
// does: when nothing new has come for a while it is shown its own and a few of the others'.
#include <stdio.h>

#include "src/base/check.h"
#include "src/base/rng.h"
#include "src/strategy/known_failures.h"
#include "src/strategy/portfolio_numbers.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

using namespace portfolio;

class Portfolio final : public Strategy, public Explorer, public Shares {
 public:
  explicit Portfolio(const StrategyInput& input) {
    exhaustive_ = make_strategy("dpor", {.is_one_of_several = true});
    const StrategyInput share = {.part = input.part, .parts = input.parts};
    delayed_ = make_strategy("delay-bound:b=1", share);
    hold_ = make_strategy("hold", share);
    for (size_t i = 0; i < kArmCount; ++i) {
      arms_[i] = {make_strategy(kArms[i].spec, input), kArms[i].share, 1, 0};
    }
    known_ = make_in_engine_memory<KnownFailures>(arms_[kRff].strategy->parts().observer);
  }

  Parts parts() override {
    return {.names = true,
            .observer = known_,
            .explorer = this,
            .shares = this,
            .ends_with_spurious_waits = true};
  }

  Turn begin_run(const RunStart& start) override {
    rng_.reseed(start.seed);
    choose_arm();
    Turn turn = now_->begin_run({rng_.next(), start.patient});
    turn.name = name_of_run();
    turn.is_observed = is_shown();
    const Parts needed = now_->parts();
    turn.needs_names = needed.names || needed.observer;
    if (!may_be_bent()) return turn;
    Decider* bent = known_->bend(turn.decider, rng_);
    turn.needs_names |= bent != turn.decider;
    turn.decider = bent;
    return turn;
  }

  void after_run(const channel::RunRecord& run) override {
    ++runs_;
    if (now_ == delayed_) delayed_cost_.add(run);
    if (now_ == exhaustive_) exhaustive_cost_.add(run);
    holds_ += now_ == hold_;
    if (run.progress.callbacks) has_callbacks_ = true;
    if (run.timer_expiries) has_timers_ = true;
    if (runs_ < kPatientRuns && may_end_early(run.schedule)) has_timeouts_ = true;
    known_->after_run(run);
    now_->after_run(run);
    for_each_search([&](Strategy* search) {
      if (search != now_) search->after_other_run(run);
    });
    if (has_callbacks_ && now_ != hold_ && holds_ < kMostHeld) hold_->after_other_run(run);
    if (arm_ < kArmCount) note_yield(arms_[arm_], run);
  }

  // In the runs of others what they lead to belongs to them, but for memory and races.
  void after_other_run(const channel::RunRecord& run) override {
    for_each_search([&](Strategy* search) {
      if (search != arms_[kEvents].strategy) search->after_other_run(run);
    });
  }

  void describe(char* to, size_t room) const override {
    double weights[kArmCount];
    const double sum = weigh(weights);
    size_t used = 0;
    for (size_t i = 0; i < kArmCount; ++i) {
      if (weights[i] <= 0) continue;
      const int n = snprintf(to + used, room - used, "%s%.*s %.0f %%", i ? ", " : "",
                             static_cast<int>(kArms[i].spec.size()), kArms[i].spec.data(),
                             100 * weights[i] / sum);
      if (n < 0 || static_cast<size_t>(n) >= room - used) return;
      used += static_cast<size_t>(n);
    }
  }

  // Then there is no space of schedules to explore in full.
  bool inputs_vary() override {
    inputs_vary_ = true;
    return true;
  }

  channel::Exploration exploration() const override {
    // How late timers are is not explored in full.
    if (inputs_vary_ || has_timers_) return kNothingExplored;
    const channel::Exploration state = exploration_of(*exhaustive_);
    // What it was spared (early time-outs) is left to the others.
    const bool is_spared = (state.assumptions & (kTimeoutsAreLate | kTimersOnTime)) != 0;
    return state.finished && state.everything && !is_spared ? state : kNothingExplored;
  }

 private:
  struct ArmState {
    Strategy* strategy;
    uint64_t share;
    double yield;  // how often it brought something new, lately
    double cost;   // of a run, lately: events, weighted
  };

  // What the runs of a search have cost that is no arm.
  struct Cost {
    uint64_t runs = 0;
    double events = 0;

    void add(const channel::RunRecord& run) {
      ++runs;
      events += static_cast<double>(run.events);
    }
  };
  bool is_affordable(const Cost& cost) const {
    return cost.events <= kCostly * typical_cost_ * static_cast<double>(cost.runs) ||
           cost.events * kOfCostly <= arms_events_;
  }

  // All but those that always decide alike, and `hold_`, which is of no use to most programs.
  template <typename Do>
  void for_each_search(Do&& what) {
    what(exhaustive_);
    what(delayed_);
    for (const ArmState& arm : arms_) what(arm.strategy);
  }

  std::string_view name_of_run() const {
    return arm_ < kArmCount      ? kArms[arm_].spec
           : now_ == exhaustive_ ? std::string_view("dpor")
           : now_ == delayed_    ? std::string_view("delay-bound:b=1")
                                 : std::string_view("hold");
  }

  void note_yield(ArmState& arm, const channel::RunRecord& run) {
    const bool news = run.new_reads_from || run.progress.new_features;
    const double cost = static_cast<double>(run.events + 1) * (arm_ == kRff ? kCostOfRff : 1);
    arm.yield += kYieldRate * (static_cast<double>(news) - arm.yield);
    arm.cost += arm.cost > 0 ? kYieldRate * (cost - arm.cost) : cost;
    typical_cost_ += kYieldRate * (cost - typical_cost_);
    arms_events_ += static_cast<double>(run.events);
    if (news) last_news_ = runs_;
  }

  // Each arm's own share, and more for what it has brought lately. The sum of all.
  double weigh(double* weights) const {
    double best = 0, sum = 0;
    for (const ArmState& arm : arms_) best = success_of(arm) > best ? success_of(arm) : best;
    for (size_t i = 0; i < kArmCount; ++i) {
      const ArmState& arm = arms_[i];
      const double success = best > 0 ? success_of(arm) / best : 0;
      weights[i] = static_cast<double>(arm.share) * (1 + kMostForSuccess * success);
      if (!has_news()) {
        weights[i] *= typical_cost_ / cost_of(arm);
        if (i == kSurw) weights[i] *= kLateForSurw;
      }
      if (i == kEvents && !has_callbacks_) weights[i] = 0;
      sum += weights[i];
    }
    return sum;
  }
  double cost_of(const ArmState& arm) const { return arm.cost > 0 ? arm.cost : typical_cost_; }
  double success_of(const ArmState& arm) const { return arm.yield / cost_of(arm); }

  bool has_news() const { return runs_ < kEnough || runs_ - last_news_ < kNews; }

  bool is_shown() {
    if (arm_ == kRff || runs_ - last_news_ < kShown) return true;
    return rng_.below(kShownOneIn) == 0;
  }
  // Those that draw; the others follow a plan.
  bool may_be_bent() const { return arm_ < kArmCount && arm_ != kMutate && arm_ != kEvents; }

  static bool may_end_early(const channel::Schedule& schedule) {
    return channel::has_choice(schedule, ChoiceKind::sleep) ||
           channel::has_choice(schedule, ChoiceKind::time);
  }
  // Searches that try everything in order would try what the first runs should not.
  bool is_patient() const { return has_timeouts_ && runs_ < kPatientRuns; }

  bool may_delay() const {
    return !inputs_vary_ && !is_patient() && delayed_cost_.runs < kMostDelayed &&
           is_affordable(delayed_cost_) && !exploration_of(*delayed_).finished;
  }

  void choose_arm() {
    arm_ = kArmCount;
    if (has_callbacks_ && runs_ > 0 && runs_ < kVeryFirstRunsOfLoops)
      return take(kVeryFirstOfLoops[runs_ - 1]);
    if (has_callbacks_ && holds_ < kMostHeld && rng_.below(kHeldBack) == 0) return take(kHold);
    if (runs_ >= kVeryFirstRuns && may_delay() && rng_.below(kDelayed) == 0) {
      now_ = delayed_;
      return;
    }
    if (runs_ < kVeryFirstRuns) return take(kVeryFirst[runs_]);
    const channel::Exploration all = exploration_of(*exhaustive_);
    const bool may_be_small = !inputs_vary_ && !is_patient() && all.explored < kSmallSpace &&
                              !all.finished && all.gap == TrailGap::none &&
                              is_affordable(exhaustive_cost_);
    // While there is news the space is not small, or is being seen all the same.
    const bool is_almost_done = all.explored != 0 && all.unexplored <= kFew;
    const bool may_be_rare = has_news() && !is_almost_done;
    const uint64_t one_in = may_be_rare ? kRarely : all.explored > kNotSmall ? kSeldom : kOften;
    if (may_be_small && rng_.below(one_in) == 0) {
      now_ = exhaustive_;
      return;
    }
    double weights[kArmCount];
    const double sum = weigh(weights);
    double point = rng_.unit() * sum;
    size_t arm = 0;
    for (; arm + 1 < kArmCount && point >= weights[arm]; ++arm) point -= weights[arm];
    take(arm);
  }

  void take(size_t arm) {
    JOSTLE_CHECK(arm < kArmCount || arm == kHold);
    arm_ = arm;
    now_ = arm == kHold ? hold_ : arms_[arm].strategy;
  }

  Rng rng_;
  Strategy* exhaustive_;
  Strategy* delayed_;
  Strategy* hold_;
  ArmState arms_[kArmCount];
  KnownFailures* known_;
  Strategy* now_ = nullptr;
  size_t arm_ = kArmCount;  // kArmCount: none of them
  uint64_t runs_ = 0;
  uint64_t holds_ = 0;  // runs of `hold_`
  Cost delayed_cost_;
  Cost exhaustive_cost_;
  double typical_cost_ = 1;
  double arms_events_ = 0;
  uint64_t last_news_ = 0;  // the run that brought something new last
  bool has_callbacks_ = false;
  bool has_timeouts_ = false;  // sleeps and waits that may end while others could run
  bool has_timers_ = false;    // an event loop's wait ended by time
  bool inputs_vary_ = false;
};

}  // namespace

JOSTLE_STRATEGY(kPortfolio) = {
    "portfolio",
    "several of the following side by side, those that bring news more often",
    {},
    [](const StrategyValues&, const StrategyInput& input) {
      return make_directed(make_in_engine_memory<Portfolio>(input));
    }};

}  // namespace jostle
