// SPDX-License-Identifier: Apache-2.0
// A run in which some reads are to see certain values: a thread whose next operation is such a read
// is held back until the memory holds the value, and then goes first; whoever would overwrite the
// value before it has been seen is held back. Where all are held back one of them runs all the
// same. Among equals partial order sampling decides.
#pragma once

#include "src/base/hash.h"
#include "src/base/rng.h"
#include "src/strategy/samplers/scores.h"
#include "src/strategy/strategy.h"

namespace jostle {

// The read of a location at a place in the program is to see a value, once.
struct WantedValue {
  uint64_t name, site;
  uint64_t value;
  uint32_t size;  // bytes that count
};

struct WantedValues {
  static constexpr uint32_t kMost = 4;
  uint32_t count = 0;
  WantedValue list[kMost] = {};

  bool add(const WantedValue& wanted) {
    if (count == kMost) return false;
    // A read of its own for each: two values of the same read contradict each other.
    for (uint32_t i = 0; i < count; ++i) {
      if (list[i].name == wanted.name && list[i].site == wanted.site) return false;
    }
    list[count++] = wanted;
    return true;
  }
  uint64_t hash() const {
    uint64_t sum = 0;  // in any order
    for (uint32_t i = 0; i < count; ++i) {
      sum += combine(combine(list[i].name, list[i].site), list[i].value);
    }
    return combine(71, sum) | 1;
  }
};

class ValueSteering {
 public:
  void begin(const WantedValues& wanted) {
    wanted_ = wanted;
    seen_ = 0;
    scores_.clear();
  }

  ThreadId pick(const View& view, Rng& rng) {
    ThreadId best = kNoThread;
    Tier best_tier = Tier::held_back;
    uint64_t best_score = 0;
    view.candidates->for_each([&](ThreadId id) {
      const Tier tier = tier_of(view, id);
      const uint64_t score = scores_.of(id, rng);
      if (best != kNoThread && (tier < best_tier || (tier == best_tier && score <= best_score))) {
        return;
      }
      best = id;
      best_tier = tier;
      best_score = score;
    });
    return best;
  }

  void executed(const View& view, ThreadId id, const Operation& op, Rng& rng) {
    for (uint32_t i = 0; i < wanted_.count; ++i) {
      if (is_read(op, wanted_.list[i]) && holds(view, id, wanted_.list[i])) seen_ |= 1u << i;
    }
    scores_.executed(view, id, op, rng);
  }

 private:
  enum class Tier { held_back, neutral, favoured };

  static bool is_read(const Operation& op, const WantedValue& wanted) {
    return op.name == wanted.name && op.site == wanted.site && op.size != 0 && observes(op.kind);
  }
  static bool holds(const View& view, ThreadId id, const WantedValue& wanted) {
    const uint64_t mask = UINT64_MAX >> (64 - 8 * wanted.size);
    return ((view.value(id) ^ wanted.value) & mask) == 0;
  }

  Tier tier_of(const View& view, ThreadId id) const {
    const Operation& op = view.pending(id);
    for (uint32_t i = 0; i < wanted_.count; ++i) {
      if (seen_ >> i & 1) continue;
      const WantedValue& wanted = wanted_.list[i];
      if (is_read(op, wanted)) return holds(view, id, wanted) ? Tier::favoured : Tier::held_back;
      const bool overwrites = op.name == wanted.name && op.size != 0 && may_change(op.kind);
      if (overwrites && holds(view, id, wanted)) return Tier::held_back;
    }
    return Tier::neutral;
  }

  WantedValues wanted_;
  uint32_t seen_ = 0;  // bits: which of them have been
  Scores scores_;
};

}  // namespace jostle
