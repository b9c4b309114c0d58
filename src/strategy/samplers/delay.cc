// SPDX-License-Identifier: Apache-2.0
// Delay bounding, sampled (Emmi, Qadeer, Rakamaric, POPL 2011; Thomson, Donaldson, Betts, PPoPP
// 2014).
//
// A deterministic scheduler runs one thread until it waits, then the next in order. A *delay* skips
// the thread whose turn it is. A run has at most `b` delays, at random steps; k is learned from
// earlier runs.
#include "src/strategy/order.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class RandomDelays final : public Sampler {
 public:
  explicit RandomDelays(const StrategyValues& values) : bound_(values["b"]), steps_(values["k"]) {}

  void begin(const RunStart& start) override {
    Sampler::begin(start);
    step_ = 0;
    points_.clear();
    for (uint64_t i = 0; i < bound_; ++i) points_.push_back(1 + rng_.below(steps_));
  }

  ThreadId pick(const View& view) override {
    ++step_;
    ThreadId turn = without_preemption(view);
    for (const uint64_t point : points_) {
      if (point == step_) turn = next_after(turn, *view.candidates);
    }
    return turn;
  }

  void after_run(const channel::RunRecord& run) override {
    if (run.decisions > steps_) steps_ = run.decisions;
  }

 private:
  uint64_t bound_;
  uint64_t steps_;
  uint64_t step_ = 0;
  EngineVector<uint64_t> points_;
};

}  // namespace

JOSTLE_STRATEGY(kDelay) = {
    "delay",
    "one thread after the other, but for some random steps that skip whose turn it is",
    {{"b", 3, 0, 1000, "bound: the number of delays"}, kStepsParameter},
    made<RandomDelays>};

}  // namespace jostle
