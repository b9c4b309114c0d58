// SPDX-License-Identifier: Apache-2.0
// A failing run with weak memory: which old stores were read, and which memory orders might have
// ruled that out. What is said of the latter has to be tried (cli/runs/missing_order.h).
#pragma once

#include <string>
#include <vector>

#include "src/report/explain/explain.h"
#include "src/schedule/config.h"

namespace jostle::report {

// The run reads a store that is not the newest, or stores behind another.
bool is_of_weak_memory(const channel::RunRecord& record);

// "Needs weak memory: 1 stale read; …", and one sentence for each. Empty without weak memory.
// `sequential`: so many sequentially consistent schedules were tried, and do not fail so. Without
// any it is not said that it needs what it has.
Explanation explain_stale_reads(const NamedRun& failing, uint64_t sequential);

// Places of the program with stronger memory orders than they have.
using Strengthening = std::vector<channel::OrderChange>;

// Those that could make a stale read of the run impossible, or put an order between the accesses
// that race at its end; the smallest first.
std::vector<Strengthening> strengthenings(const NamedRun& failing);
// Both together.
Strengthening joined(const Strengthening& a, const Strengthening& b);
// "acquire at deque.h:41 and release at deque.h:27"
std::string strengthening_text(const Strengthening& what, Symbolizer& symbols);

}  // namespace jostle::report
