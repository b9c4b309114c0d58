// SPDX-License-Identifier: Apache-2.0
// The loops of a livelock, folded: what each spinning thread did over and over at the end of the
// run, once, and how often.
#pragma once

#include <string>
#include <vector>

#include "src/report/model/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

struct SpinLoop {
  std::vector<const channel::TraceEvent*> body;  // one round, in order
  uint64_t rounds = 0;                           // that the trace ends with
};

// Of a thread's events the shortest loop that they end with; empty: they end with none.
SpinLoop find_spin_loop(const std::vector<const channel::TraceEvent*>& events);

// "" when nobody spins. Of at most `most` threads.
std::string spin_loops_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                             size_t columns = kColumns, size_t most = SIZE_MAX);

}  // namespace jostle::report
