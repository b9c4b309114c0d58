// SPDX-License-Identifier: Apache-2.0
// The small scenarios of a test of operations, one after the other, before any is drawn at random:
// all pairs of operations side by side, by themselves and then with others before and after them;
// then all triples, two by one thread and one by another, or each by one. Arguments are drawn.
//
// The same in every campaign; workers share them out among each other. Pure.
#pragma once

#include <cstdint>

#include "src/schedule/input_record.h"

namespace jostle {

class SmallScenarios {
 public:
  SmallScenarios(uint32_t worker, uint32_t workers) : number_(worker), workers_(workers) {}

  // Plans the next one, as far as it is known how many operations there are: a run has to tell.
  // False: all have had their turn.
  bool next();
  // Answers a draw of the scenario. False: that it is for the usual way to draw.
  bool answer(const channel::Draw& asked, uint64_t& value);

  bool finished() const { return finished_; }

 private:
  enum class Part : uint8_t { before, threads, after };

  bool plan(uint64_t number);

  // More kinds of operations than this have too many triples.
  static constexpr uint64_t kMostKindsForTriples = 6;

  uint64_t number_;
  uint64_t workers_;
  uint64_t kinds_ = 0;  // 0: not known yet
  bool finished_ = false;
  // Of the one that is planned:
  bool is_alone_ = false;  // nothing before, nothing after
  uint32_t threads_ = 0;
  uint32_t lengths_[3] = {};
  uint32_t planned_[3][2] = {};
  // How far it has been drawn:
  Part part_ = Part::before;
  uint32_t thread_ = 0, operation_ = 0;
};

}  // namespace jostle
