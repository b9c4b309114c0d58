// SPDX-License-Identifier: Apache-2.0
// Random walk: at every step each thread that can run is equally likely.
//
// The oldest sampler and the baseline of all papers. At the granularity of memory accesses it is
// weak: the probability of letting one thread run k steps in a row falls as 2^-k. With `sticky=b`
// the current thread goes on with a probability of 1 - 2^-b before that draw. With
// `delay=n` a thread that was preempted stays away for up to n steps, unless nobody else can run:
// threadfuzzer-net's random driver with delays, in steps because time is virtual here.
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class RandomWalk final : public Sampler {
 public:
  explicit RandomWalk(const StrategyValues& values)
      : leave_one_in_(uint64_t{1} << values["sticky"]), longest_delay_(values["delay"]) {
    is_changed_ = leave_one_in_ > 1 || longest_delay_ != 0;
    manner_.ignores_steps = true;
  }

  void begin(const RunStart& start) override {
    Sampler::begin(start);
    step_ = 0;
    away_until_.clear();
  }

  ThreadId pick(const View& view) override {
    if (is_changed_) [[unlikely]]
      return pick_differently(view);
    return uniformly(view);
  }

 private:
  ThreadId uniformly(const View& view) {
    return view.candidates->nth(static_cast<uint32_t>(rng_.below(view.candidates->count())));
  }

  // Apart, so that the plain walk needs few registers.
  __attribute__((noinline)) ThreadId pick_differently(const View& view) {
    if (leave_one_in_ > 1 && view.candidates->contains(view.current) &&
        rng_.below(leave_one_in_) != 0) {
      return view.current;
    }
    return longest_delay_ ? pick_with_delays(view) : uniformly(view);
  }

  ThreadId pick_with_delays(const View& view) {
    ++step_;
    present_.clear();
    view.candidates->for_each([&](ThreadId id) {
      if (away_until(id) <= step_) present_.push_back(id);
    });
    if (present_.empty()) {
      view.candidates->for_each([&](ThreadId id) { present_.push_back(id); });
    }
    const ThreadId next = present_[rng_.below(present_.size())];
    if (next != view.current) {
      away_until(view.current) = step_ + rng_.below(longest_delay_ + 1);
    }
    return next;
  }

  uint64_t& away_until(ThreadId id) {
    if (id >= away_until_.size()) away_until_.resize(id + 1);
    return away_until_[id];
  }

  uint64_t leave_one_in_;
  uint64_t longest_delay_;
  bool is_changed_ = false;  // by one of the two
  uint64_t step_ = 0;
  EngineVector<uint64_t> away_until_;
  EngineVector<ThreadId> present_;
};

}  // namespace

JOSTLE_STRATEGY(kRandom) = {
    "random",
    "random walk: every thread that can run is equally likely at every step",
    {{"sticky", 0, 0, 30, "b: the current thread goes on with probability 1 - 2^-b"},
     {"delay", 0, 0, 1'000'000, "a preempted thread stays away for up to so many steps"}},
    made<RandomWalk>};

}  // namespace jostle
