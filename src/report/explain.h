// Why a run fails, in a sentence or two: the operations whose order decides.
//
// Compared with a run next to it that passes, a failing run observes something else somewhere:
// run_difference.h finds out where that is the scheduler's doing. For deadlocks the threads
// themselves tell: who holds what and wants what, or which signal came when nobody waited.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/run_difference.h"

namespace jostle::report {

struct Explanation {
  std::vector<std::string> sentences = {};
  std::vector<uint32_t> steps = {};  // of the failing run's trace, that the sentences are about
  // How far the passing run is away that it was found with: of several the nearest tells most.
  uint64_t distance = 0;
  // It says how the run ended, not why: the difference to a run that passes may say more.
  bool only_the_end = false;
  bool empty() const { return sentences.empty(); }
  std::string text() const;  // the sentences in one line
};

// From the failing run alone: deadlocks, livelocks. Empty when it does not tell.
Explanation explain_end(const NamedRun& failing);

// From the difference to a run that passes. Empty when nothing differs that could be named.
Explanation explain_difference(const NamedRun& failing, const NamedRun& passing);

// `end`, with what led to it.
Explanation explain_both(Explanation end, const Explanation& difference);

}  // namespace jostle::report
