// SPDX-License-Identifier: Apache-2.0
// Random values as testers choose them: mostly small, often at a boundary, often the same again.
#pragma once

#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/schedule/draw.h"

namespace jostle {

class InputValues {
 public:
  // What a run's values are like. A bug that needs three zeros needs a run in which zeros are
  // common, not a lucky one.
  enum class Mood { mixed, small, boundaries, wide };

  void begin(uint64_t seed);
  uint64_t value(const channel::Draw& asked);
  // Near the value, in one way or another.
  uint64_t changed(const channel::Draw& draw);
  // Seen in a comparison of the program: worth to be tried.
  void learn(uint64_t value);
  Rng& rng() { return rng_; }

 private:
  uint64_t small(const channel::Draw& asked);
  uint64_t boundary(const channel::Draw& asked);
  uint64_t wide(const channel::Draw& asked);

  static constexpr uint32_t kRecent = 8;
  static constexpr uint32_t kLearned = 256;
  Rng rng_;
  Mood mood_ = Mood::mixed;
  uint64_t recent_[kRecent] = {};  // of this run
  uint32_t recent_count_ = 0;
  EngineVector<uint64_t> learned_;
  uint64_t lately_[64] = {1};  // learned, by hash; 0 is where 1 never is
  uint64_t learned_total_ = 0;
};

}  // namespace jostle
