// Coverage of the program's code for properties, which draw their inputs: what a run brought that
// none had before, and what it compared (RunRecord::new_features, comparisons). Begins with the
// first run that draws anything.
#pragma once

#include "src/schedule/channel.h"
#include "src/schedule/feedback.h"

namespace jostle::engine {

class CodeCoverage {
 public:
  void want();
  void begin() {
    if (feedback_) feedback_->clear();
  }
  void after_run(channel::RunRecord& run);

 private:
  Feedback* feedback_ = nullptr;
};

}  // namespace jostle::engine
