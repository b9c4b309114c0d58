// SPDX-License-Identifier: Apache-2.0
// Delay bounding (Emmi, Qadeer, Rakamaric, POPL 2011): a deterministic scheduler runs one thread
// until it waits, then the next in order; a *delay* skips the thread whose turn it is. All
// schedules with at most b delays, for b = 0, 1, 2, … Unlike with preemptions, also the choice at a
// wait has its price, so that the space for a bound is polynomial in the length of the run alone.
#include "src/strategy/exhaustive/exhaustive.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class DelayBound final : public BoundedSearch {
 public:
  explicit DelayBound(const StrategyValues& values) : BoundedSearch(values["b"]) {}

 protected:
  uint32_t offer(const View&, const EngineVector<ThreadId>&, uint32_t all) override {
    return offer_choice(all);
  }
  void took(const View&, const EngineVector<ThreadId>&, uint32_t which) override {
    spent_ += which;
  }
};

}  // namespace

JOSTLE_STRATEGY(kDelayBound) = {"delay-bound",
                                "all schedules with at most 0, 1, 2, … delays",
                                {{"b", kNoBound, 0, kNoBound, "the largest bound"}},
                                made<DelayBound>,
                                true};

}  // namespace jostle
