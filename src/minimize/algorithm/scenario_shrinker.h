// SPDX-License-Identifier: Apache-2.0
// Makes a scenario of operations small: all scenarios of two, three or four of its operations, the
// smallest first. Leaving out one operation after the other ends where none can be left out alone,
// which often is far from the smallest: two that belong together go together or not at all.
#pragma once

#include "src/schedule/history/scenario_draws.h"

namespace jostle {

class ScenarioShrinker {
 public:
  // False: it is no scenario, or a small one. The draws have to stay where they are.
  bool start(const channel::Draws& failing);
  // The next candidate. False: there is none.
  bool next(channel::Draws& candidate);

 private:
  static constexpr uint32_t kMost = 4;

  bool next_kept();

  ScenarioDraws scenario_;
  uint32_t size_ = 0;
  uint64_t kept_ = 0;  // bits of operations
};

}  // namespace jostle
