// SPDX-License-Identifier: Apache-2.0
// Makes a failing input small: fewest draws, then the simplest values from the first on.
//
// Works on the list of draws alone, so that it is the same for everything that generators make: a
// stretch that is left out is an element less in a vector, a smaller number a shorter string or an
// earlier alternative. A candidate is run like any input; what the run really drew is the new
// smallest input if it fails in the same way and is simpler.
#pragma once

#include "src/base/engine_memory.h"
#include "src/schedule/draw.h"
#include "src/schedule/input_record.h"

namespace jostle {

// Is `a` the simpler input?
bool is_simpler(const channel::Draw* a, uint32_t a_count, const channel::Draw* b, uint32_t b_count);

class InputShrinker {
 public:
  // Begins (again) with an input that fails. `in_pairs`: also two stretches at a time are left out,
  // of which there are many.
  void start(const channel::Draws& failing, bool in_pairs = false);
  // Fills in the next candidate. False: there is nothing left to try.
  bool next(channel::Draws& candidate);
  // The last candidate fails in the same way, having drawn this. True: it is the smallest so far.
  bool fails(const channel::Draws& drawn);
  // … or it does not.
  void passes();

  const EngineVector<channel::Draw>& best() const { return best_; }
  bool empty() const { return best_.empty(); }

 private:
  enum class Stage { nothing, leave_out, simplest, equal_ones, each, pairs, done };

  bool candidate_of(Stage stage, channel::Draws& to);
  void next_stage();
  void copy_best(channel::Draws& to) const;
  bool next_chunk();
  bool next_pair();
  // Of draw `at_`: the next value to try; false when there is none.
  bool next_value(uint64_t& value);

  EngineVector<channel::Draw> best_;
  EngineVector<uint64_t> equal_;  // values that were tried together in this round
  Stage stage_ = Stage::nothing;
  uint32_t at_ = 0;       // draw that the stage is at
  uint32_t chunk_ = 0;    // draws that are changed at once
  uint32_t second_ = 0;   // of a pair: where the other stretch begins
  uint32_t try_ = 0;      // of this draw
  uint32_t doubled_ = 0;  // how often the step of this try has been doubled
  bool improved_ = false;
  bool in_pairs_ = false;
};

}  // namespace jostle
