// SPDX-License-Identifier: Apache-2.0
// Round robin: after every `quantum` steps it is the next thread's turn.
//
// Not a sampler: every run is the same. A baseline, and the order that delay bounding disturbs.
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class RoundRobin final : public SelfDeciding {
 public:
  explicit RoundRobin(const StrategyValues& values) : quantum_(values["quantum"]) {}

  void begin(const RunStart&) override { left_ = quantum_; }

  ThreadId pick(const View& view) override {
    if (left_ > 0 && view.candidates->contains(view.current)) {
      --left_;
      return view.current;
    }
    left_ = quantum_ - 1;
    return next_after(view.current, *view.candidates);
  }

  uint32_t choose(const Question&) override { return 0; }

 private:
  uint64_t quantum_;
  uint64_t left_ = 0;
};

}  // namespace

JOSTLE_STRATEGY(kRoundRobin) = {"round-robin",
                                "every thread in turn",
                                {{"quantum", 1, 1, 1'000'000'000, "steps of a turn"}},
                                made<RoundRobin>};

}  // namespace jostle
