// SPDX-License-Identifier: Apache-2.0
// Random scores of pending operations, as partial order sampling has them: see pos.cc.
#pragma once

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/strategy/samplers/leaders.h"
#include "src/strategy/strategy.h"

namespace jostle {

class Scores {
 public:
  void clear() {
    scores_.clear();
    leaders_.clear();
  }

  uint64_t of(ThreadId id, Rng& rng) {
    if (id >= scores_.size() || scores_[id] == 0) redraw(id, rng);
    return scores_[id];
  }
  void redraw(ThreadId id, Rng& rng) {
    if (id >= scores_.size()) [[unlikely]]
      make_room(id);
    const uint64_t score = rng.next() | 1;
    scores_[id] = score;
    leaders_.changed(id, score);
  }
  // A new thread: its score is drawn when it is asked for.
  void forget(ThreadId id) {
    if (id < scores_.size()) scores_[id] = 0;
    leaders_.forget(id);
  }
  // Of the candidates that are not among `left_out`; kNoThread: there is none.
  ThreadId best(const EnabledSet& candidates, Rng& rng, const EnabledSet* left_out = nullptr) {
    return leaders_.first(candidates, left_out, [&](ThreadId id) { return of(id, rng); });
  }
  // `id` executes `op`: its next operation is a new one, and those that race with it, but for those
  // `left_out`, get a new chance.
  void executed(const View& view, ThreadId id, const Operation& op, Rng& rng,
                const EnabledSet* left_out = nullptr) {
    redraw(id, rng);
    view.for_each_racing(op, id, left_out, [&](ThreadId other) { redraw(other, rng); });
  }

 private:
  __attribute__((noinline)) void make_room(ThreadId id) { scores_.resize(id + 1); }

  EngineVector<uint64_t> scores_;  // 0: not drawn yet
  Leaders leaders_;
};

}  // namespace jostle
