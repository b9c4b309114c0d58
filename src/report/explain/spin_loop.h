// SPDX-License-Identifier: Apache-2.0
// The loops of a livelock, folded: what each spinning thread did over and over at the end of the
// run, once, and how often.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/report/model/names/names.h"
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

// What a thread looks at in its loop.
struct Looked {
  const channel::TraceEvent* event = nullptr;  // null: it looks at nothing
  std::string object;
  std::string function;  // of the library, that the program called for that; empty: none
};
Looked looked_at_in(const SpinLoop& loop, Names& names);
// How many variables of the program it looks at besides.
size_t others_looked_at(const SpinLoop& loop, const std::string& object, Names& names);
bool is_written_in(const SpinLoop& loop, uint64_t object);
// The lock or semaphore that it asks for in its loop; null: none.
const channel::TraceEvent* asked_for_in(const SpinLoop& loop);

// The loop that each thread goes round in that could go on, or sleeps between two looks.
std::map<uint32_t, SpinLoop> spin_loops(const channel::RunRecord& record);

// "" when nobody spins. Of at most `most` threads.
std::string spin_loops_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                             size_t columns = kColumns, size_t most = SIZE_MAX);

}  // namespace jostle::report
