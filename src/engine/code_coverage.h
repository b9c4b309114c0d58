// SPDX-License-Identifier: Apache-2.0
// Coverage of the program's code, where it is built to tell (-fjostle-coverage): what a run brought
// that none had before, and what it compared (RunRecord::new_features, comparisons). Every campaign
// listens to its first runs; it goes on if there is something to hear, or if the program draws its
// input, because then the functions it enters are better than nothing.
#pragma once

#include "src/schedule/feedback.h"
#include "src/schedule/run_record.h"

namespace jostle::engine {

class CodeCoverage {
 public:
  void start();
  void begin();
  void after_run(channel::RunRecord& run);

 private:
  // So many runs without anything to hear.
  static constexpr uint64_t kListens = 4;
  Feedback* feedback_ = nullptr;
  uint64_t runs_ = 0;
  bool draws_ = false;
};

}  // namespace jostle::engine
