// Why a run fails, in a sentence or two: the operations whose order decides.
//
// Compared with a run next to it that passes, a failing run observes something else somewhere. In
// every thread the first read that sees another write than in the passing run is a candidate (what
// comes behind it in the same thread may follow from it); the earliest whose value differs is what
// the sentence is about. For deadlocks the threads themselves tell: who holds what and wants what,
// or which signal came when nobody waited.
#pragma once

#include <string>
#include <vector>

#include "src/report/names.h"
#include "src/report/run_trace.h"
#include "src/report/symbolizer.h"

namespace jostle::report {

struct Explanation {
  std::vector<std::string> sentences = {};
  std::vector<uint32_t> steps = {};  // of the failing run's trace, that the sentences are about
  bool empty() const { return sentences.empty(); }
  std::string text() const;  // the sentences in one line
};

// A run with what it takes to name what it did.
struct NamedRun {
  const RunTrace& trace;
  Symbolizer& symbols;
  Names& names;
};

// From the failing run alone: deadlocks, livelocks. Empty when it does not tell.
Explanation explain_end(const NamedRun& failing);

// From the difference to a run that passes. Empty when nothing differs that could be named.
Explanation explain_difference(const NamedRun& failing, const NamedRun& passing);

// "50", "-1", "0x6000000010"
std::string value_text(uint64_t value, uint32_t size);

}  // namespace jostle::report
