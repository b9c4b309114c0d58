// SPDX-License-Identifier: Apache-2.0
// Round robin: after every `quantum` steps it is the next thread's turn.
//
// Not a sampler: every run is the same. A baseline, and the order that delay bounding disturbs.
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class RoundRobin final : public Strategy {
 public:
  explicit RoundRobin(const StrategyValues& values) : quantum_(values.of[0]) {}

  void begin(uint64_t) override { left_ = quantum_; }

  ThreadId pick(const View& view) override {
    if (left_ > 0 && view.candidates->contains(view.current)) {
      --left_;
      return view.current;
    }
    left_ = quantum_ - 1;
    return next_after(view.current, *view.candidates);
  }

  uint32_t choose(ChoiceKind, uint32_t) override { return 0; }

 private:
  uint64_t quantum_;
  uint64_t left_ = 0;
};

}  // namespace

Strategy* make_round_robin(const StrategyValues& values, const StrategyInput&) {
  return make_in_engine_memory<RoundRobin>(values);
}

}  // namespace jostle
