// SPDX-License-Identifier: Apache-2.0
// No preemption: the current thread runs until it waits, yields or ends; then the next one in
// order. What most programs do most of the time, and a sensible first run of every campaign.
#include "src/strategy/order.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class NoPreemptions final : public Strategy {
 public:
  void begin(uint64_t) override {}

  ThreadId pick(const View& view) override { return without_preemption(view); }

  uint32_t choose(ChoiceKind, uint32_t) override { return 0; }
};

}  // namespace

Strategy* make_none(const StrategyValues&, const StrategyInput&) {
  return make_in_engine_memory<NoPreemptions>();
}

}  // namespace jostle
