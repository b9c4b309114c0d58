// SPDX-License-Identifier: Apache-2.0
// No preemption: the current thread runs until it waits, yields or ends; then the next one in
// order. What most programs do most of the time, and a sensible first run of every campaign.
#include "src/strategy/order.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class NoPreemptions final : public SelfDeciding {
 public:
  NoPreemptions() { manner_.ignores_steps = true; }
  void begin(const RunStart&) override {}

  ThreadId pick(const View& view) override { return without_preemption(view); }

  uint32_t choose(const Question&) override { return 0; }
};

}  // namespace

JOSTLE_STRATEGY(kNone) = {
    "none", "no preemption: a thread runs until it waits, yields or ends", {}, made<NoPreemptions>};

}  // namespace jostle
