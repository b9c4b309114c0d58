// SPDX-License-Identifier: Apache-2.0
// A pseudo-random number decides (unthread's "seed" mode): as `bytes`, but the numbers come from a
// generator with the run's seed. Every thread and every other choice is equally likely, time-outs
// included: unlike `random`, which lets those strike less often.
#include "src/base/rng.h"
#include "src/strategy/order.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class Seed final : public Strategy {
 public:
  void begin(uint64_t seed) override { rng_.reseed(seed); }

  ThreadId pick(const View& view) override {
    in_order(view, order_);
    return order_[rng_.below(order_.size())];
  }

  uint32_t choose(ChoiceKind, uint32_t alternatives) override {
    return static_cast<uint32_t>(rng_.below(alternatives));
  }

 private:
  Rng rng_;
  EngineVector<ThreadId> order_;
};

}  // namespace

Strategy* make_seed(const StrategyValues&, const StrategyInput&) {
  return make_in_engine_memory<Seed>();
}

}  // namespace jostle
