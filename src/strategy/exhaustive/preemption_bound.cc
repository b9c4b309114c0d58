// SPDX-License-Identifier: Apache-2.0
// Iterative context bounding (Musuvathi, Qadeer, PLDI 2007): all schedules with at most c
// preemptions, for c = 0, 1, 2, … A preemption is a switch away from a thread that could go on;
// switches at a wait, an end or a yield are free, and so is who runs then.
//
// Where we differ: a choice that is not about threads (which waiter is woken, does a time-out
// strike early) counts as preemption when it is not the usual one, unless choices are free; and
// schedules of smaller bounds are run again with larger ones, which costs little because their
// number grows fast with c.
#include "src/strategy/exhaustive/exhaustive.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class PreemptionBound final : public BoundedSearch {
 public:
  explicit PreemptionBound(const StrategyValues& values)
      : BoundedSearch(values["c"]), choices_are_free_(!values.is_first_word("choices")) {}

 protected:
  uint32_t offer(const View& view, const EngineVector<ThreadId>&, uint32_t all) override {
    return goes_on(view) && left() == 0 ? 1 : all;
  }
  void took(const View& view, const EngineVector<ThreadId>&, uint32_t which) override {
    spent_ += goes_on(view) && which != 0;
  }
  uint32_t offer_choice(uint32_t all) override {
    return choices_are_free_ ? all : BoundedSearch::offer_choice(all);
  }
  void took_choice(uint32_t which) override {
    if (!choices_are_free_) BoundedSearch::took_choice(which);
  }

 private:
  bool choices_are_free_;
};

}  // namespace

JOSTLE_STRATEGY(kPreemptionBound) = {
    "preemption-bound",
    "all schedules with at most 0, 1, 2, … preemptions",
    {{"c", kNoBound, 0, kNoBound, "the largest bound"},
     {"choices", 0, 0, 1, "what is not about threads, if it is not usual", "cost|free"}},
    made<PreemptionBound>,
    true};

}  // namespace jostle
