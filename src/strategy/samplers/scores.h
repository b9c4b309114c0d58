// SPDX-License-Identifier: Apache-2.0
// Random scores of pending operations, as partial order sampling has them: see pos.cc.
#pragma once

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/strategy/strategy.h"

namespace jostle {

class Scores {
 public:
  void clear() { scores_.clear(); }

  uint64_t of(ThreadId id, Rng& rng) {
    if (id >= scores_.size() || scores_[id] == 0) redraw(id, rng);
    return scores_[id];
  }
  void redraw(ThreadId id, Rng& rng) {
    if (id >= scores_.size()) scores_.resize(id + 1);
    scores_[id] = rng.next() | 1;
  }
  ThreadId best(const EnabledSet& candidates, Rng& rng) {
    ThreadId best = kNoThread;
    uint64_t best_score = 0;
    candidates.for_each([&](ThreadId id) {
      const uint64_t score = of(id, rng);
      if (best == kNoThread || score > best_score) {
        best = id;
        best_score = score;
      }
    });
    JOSTLE_CHECK(candidates.contains(best));
    return best;
  }
  // `id` executes `op`: its next operation is a new one, and those that race with it get a new
  // chance.
  void executed(const View& view, ThreadId id, const Operation& op, Rng& rng) {
    redraw(id, rng);
    view.candidates->for_each([&](ThreadId other) {
      if (other != id && races(op, view.pending(other))) redraw(other, rng);
    });
  }

 private:
  EngineVector<uint64_t> scores_;  // 0: not drawn yet
};

}  // namespace jostle
