// SPDX-License-Identifier: Apache-2.0
// A pseudo-random number decides (unthread's "seed" mode): as `bytes`, but the numbers come from a
// generator with the run's seed. Every thread and every other choice is equally likely, time-outs
// included: unlike `random`, which lets those strike less often.
#include "src/base/rng.h"
#include "src/strategy/order.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class Seed final : public SelfDeciding {
 public:
  void begin(const RunStart& start) override { rng_.reseed(start.seed); }

  ThreadId pick(const View& view) override {
    in_order(view, order_);
    return order_[rng_.below(order_.size())];
  }

  uint32_t choose(const Question& question) override {
    return static_cast<uint32_t>(rng_.below(question.alternatives));
  }

 private:
  Rng rng_;
  EngineVector<ThreadId> order_;
};

}  // namespace

JOSTLE_STRATEGY(kSeed) = {
    "seed", "a pseudo-random number decides, every choice equally likely", {}, made<Seed>};

}  // namespace jostle
