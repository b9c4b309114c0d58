// What the randomised strategies have in common: a generator, and how often the choices that are
// not about threads go the unlikely way.
#pragma once

#include "src/base/rng.h"
#include "src/strategy/strategy.h"

namespace jostle {

class Sampler : public Strategy {
 public:
  void begin(uint64_t seed) override { rng_.reseed(seed); }

  uint32_t choose(ChoiceKind kind, uint32_t alternatives) override {
    switch (kind) {
      // Time-outs are meant to be rare: mostly they strike only when nobody else can run.
      case ChoiceKind::time:
        return rng_.below(8) == 0;
      // A sleep that others may outrun is the usual "flaky test": half and half.
      case ChoiceKind::sleep:
        return rng_.below(2) == 0;
      default:
        return static_cast<uint32_t>(rng_.below(alternatives));
    }
  }

 protected:
  Rng rng_;
};

}  // namespace jostle
