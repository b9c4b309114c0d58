// No preemption: the current thread runs until it waits, yields or ends; then the next one in
// order. What most programs do most of the time, and a sensible first run of every campaign.
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class NoPreemptions final : public Strategy {
 public:
  void begin(uint64_t) override {}

  ThreadId pick(const View& view) override {
    const EnabledSet& candidates = *view.candidates;
    const bool gives_way =
        candidates.contains(view.current) && view.pending(view.current).kind == OpKind::yield;
    if (candidates.contains(view.current) && !gives_way) return view.current;
    return next_after(view.current, candidates);
  }

  uint32_t choose(ChoiceKind, uint32_t) override { return 0; }
};

}  // namespace

Strategy* make_none(const StrategyValues&) { return make_in_engine_memory<NoPreemptions>(); }

}  // namespace jostle
