// SPDX-License-Identifier: Apache-2.0
// A strategy that no release has: this file and a line in list.h are all there is of it. The run
// without preemption, but in the opposite order; with `preempt=yes` the last thread always runs.
#include "src/strategy/order.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class Backwards final : public SelfDeciding {
 public:
  explicit Backwards(const StrategyValues& values) : stays_(values.is_first_word("preempt")) {}

  void begin(const RunStart&) override {}

  ThreadId pick(const View& view) override {
    return stays_ ? in_reverse(view) : view.candidates->nth(view.candidates->count() - 1);
  }

  uint32_t choose(const Question&) override { return 0; }

 private:
  bool stays_;
};

}  // namespace

JOSTLE_STRATEGY(kBackwards) = {
    "backwards",
    "the last thread first",
    {{"preempt", 0, 0, 1, "whoever is last goes first at every step", "no|yes"}},
    made<Backwards>};

}  // namespace jostle
