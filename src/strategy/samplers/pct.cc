// SPDX-License-Identifier: Apache-2.0
// PCT, probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS
// 2010).
//
// Threads get random priorities, and the highest that can run always does. At d-1 steps, drawn
// uniformly from the k steps of a run, the running thread drops below all others. A bug of depth d
// among n threads is found with a probability of at least 1/(n * k^(d-1)) in every run.
//
// Where we differ: n and k are not given but learned from earlier runs of the campaign, k counting
// only steps at which there was a choice; and a thread that yields drops, too, because a loop that
// waits by yielding would never end otherwise.
#include "src/base/check.h"
#include "src/strategy/samplers/leaders.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class PriorityChanges final : public Sampler {
 public:
  explicit PriorityChanges(const StrategyValues& values)
      : changes_(values["d"] - 1), steps_(values["k"]) {}

  void begin(const RunStart& start) override {
    Sampler::begin(start);
    priorities_.clear();
    leaders_.clear();
    step_ = 0;
    lowest_ = kFirst;
    points_.clear();
    JOSTLE_CHECK(steps_ != 0);
    for (uint64_t i = 0; i < changes_; ++i) points_.push_back(1 + rng_.below(steps_));
  }

  ThreadId pick(const View& view) override {
    ++step_;
    const ThreadId running = highest(view);
    bool drops = false;
    for (const uint64_t point : points_) {
      if (point != step_) continue;
      drop(running);
      drops = true;
    }
    return drops ? highest(view) : running;
  }

  void executed(const View&, ThreadId id, const Operation& op) override {
    if (op.kind == OpKind::yield) drop(id);
  }

  void after_run(const channel::RunRecord& run) override {
    if (run.decisions > steps_) steps_ = run.decisions;
  }

 private:
  // Fresh priorities lie above it, changed ones below, each new one lower than all before.
  static constexpr uint64_t kFirst = uint64_t{1} << 32;

  uint64_t& priority(ThreadId id) {
    if (id >= priorities_.size()) priorities_.resize(id + 1);
    if (priorities_[id] == 0) priorities_[id] = kFirst + (rng_.next() >> 1);
    return priorities_[id];
  }
  void drop(ThreadId id) {
    JOSTLE_CHECK_LT(1, lowest_);
    priority(id) = --lowest_;
    leaders_.changed(id, lowest_);
    JOSTLE_CHECK_LT(priority(id), kFirst);
  }

  ThreadId highest(const View& view) {
    draw_first_two(*view.candidates);
    return leaders_.first(*view.candidates, nullptr, [&](ThreadId id) { return priority(id); });
  }

  // Of the first candidates the second draws before the first: so seeds mean what they always did.
  void draw_first_two(const EnabledSet& candidates) {
    const ThreadId first = candidates.nth(0);
    if (first < priorities_.size() && priorities_[first] != 0) return;
    const ThreadId second = candidates.above(first);
    if (second == kNoThread) return;
    priority(second);
    priority(first);
  }

  uint64_t changes_;
  uint64_t steps_;  // k, at least 1
  uint64_t step_ = 0;
  uint64_t lowest_ = kFirst;
  EngineVector<uint64_t> priorities_;  // 0: not drawn yet
  Leaders leaders_;
  EngineVector<uint64_t> points_;
};

}  // namespace

JOSTLE_STRATEGY(kPct) = {"pct",
                         "random priorities, and some changes of them in a run",
                         {{"d", 3, 1, 1000, "depth: 1 + the number of changes"}, kStepsParameter},
                         made<PriorityChanges>};

}  // namespace jostle
