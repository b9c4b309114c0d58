// SPDX-License-Identifier: Apache-2.0
// Partial order sampling (Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling", CAV 2018).
//
// Every pending operation has a random score; the highest runs. When an operation has run, the
// thread's next one gets a fresh score, and so does every pending operation that races with it:
// that is what makes each order of a racing pair equally likely, however many unrelated steps
// surround it.
//
// Where we differ: scores are 64-bit integers instead of reals in (0, 1); a thread that was put
// aside for spinning keeps its score.
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/samplers/scores.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class PartialOrderSampling final : public Sampler {
 public:
  void begin(const RunStart& start) override {
    Sampler::begin(start);
    scores_.clear();
  }

  ThreadId pick(const View& view) override { return scores_.best(*view.candidates, rng_); }

  void executed(const View& view, ThreadId id, const Operation& op) override {
    scores_.executed(view, id, op, rng_);
  }

  void thread_created(ThreadId, ThreadId child) override { scores_.redraw(child, rng_); }

 private:
  Scores scores_;
};

}  // namespace

JOSTLE_STRATEGY(kPos) = {"pos",
                         "partial order sampling: random scores, redrawn for racing operations",
                         {},
                         made<PartialOrderSampling>};

}  // namespace jostle
