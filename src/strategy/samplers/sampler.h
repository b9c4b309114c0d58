// SPDX-License-Identifier: Apache-2.0
// What the randomised strategies have in common: a generator, and how often the choices that are
// not about threads go the unlikely way.
#pragma once

#include "src/base/rng.h"
#include "src/strategy/strategy.h"

namespace jostle {

// Choices that are not about threads, drawn with the odds that suit their kind.
inline uint32_t draw_choice(Rng& rng, const Question& question) {
  const uint32_t alternatives = question.alternatives;
  switch (question.kind) {
    // Time-outs are meant to be rare: mostly they strike only when nobody else can run.
    case ChoiceKind::time:
      return rng.below(8) == 0;
    // A sleep that others may outrun is the usual "flaky test": half and half.
    case ChoiceKind::sleep:
      return rng.below(2) == 0;
    // So that a timer is the first in one wait of four, whatever is ready.
    case ChoiceKind::late: {
      const uint64_t luck = rng.below(4);
      return luck == 0 ? alternatives - 1 : luck == 1 && alternatives > 2 ? 1 : 0;
    }
    case ChoiceKind::held_up:
      return rng.below(4) == 0 ? 1 + static_cast<uint32_t>(rng.below(alternatives - 1)) : 0;
    // Asked in few runs only; there it should happen about once.
    case ChoiceKind::spurious:
      return rng.below(4) == 0;
    case ChoiceKind::fault:
      return rng.below(4) == 0 ? 1 + static_cast<uint32_t>(rng.below(alternatives - 1)) : 0;
    default:
      return static_cast<uint32_t>(rng.below(alternatives));
  }
}

class Sampler : public SelfDeciding {
 public:
  Sampler() { manner_.wakes_spuriously = manner_.lets_draw_stores = true; }

  void begin(const RunStart& start) override {
    rng_.reseed(start.seed);
    patient_ = start.patient;
    manner_.holds_up = !patient_;
  }

  uint32_t choose(const Question& question) override {
    const ChoiceKind kind = question.kind;
    if (patient_ && (kind == ChoiceKind::time || kind == ChoiceKind::sleep)) return 0;
    return draw_choice(rng_, question);
  }

 protected:
  Rng rng_;

 private:
  bool patient_ = false;
};

}  // namespace jostle
