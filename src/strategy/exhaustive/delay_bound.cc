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
  DelayBound(const StrategyValues& values, const StrategyInput& input)
      : BoundedSearch(values["b"]), input_(input) {}

 protected:
  uint32_t offer(const View&, const EngineVector<ThreadId>&, uint32_t all) override {
    return is_elsewhere(all) ? 1 : offer_choice(all);
  }
  void at_start() override {
    BoundedSearch::at_start();
    places_ = 0;
  }
  void took(const View&, const EngineVector<ThreadId>&, uint32_t which) override {
    spent_ += which;
  }

 private:
  // Several workers of a portfolio: the first delay is another worker's at this place.
  bool is_elsewhere(uint32_t all) { return all > 1 && spent_ == 0 && !input_.is_ours(places_++); }

  StrategyInput input_;
  uint64_t places_ = 0;  // at which the run could have been delayed first
};

}  // namespace

JOSTLE_STRATEGY(kDelayBound) = {"delay-bound",
                                "all schedules with at most 0, 1, 2, … delays",
                                {{"b", kNoBound, 0, kNoBound, "the largest bound"}},
                                made<DelayBound>,
                                true};

}  // namespace jostle
