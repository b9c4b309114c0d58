// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: fills the thread reports of the run's record, and marks the cycle when there
// is one.
#pragma once

#include "src/schedule/run_record.h"

namespace jostle::rt {

class Scheduler;

// State, pending operation, held locks and stack of every live thread; of those that have ended,
// the ones that still hold what a live one waits for.
void describe_threads(Scheduler& scheduler);
// The same, and which threads form a cycle.
void describe_deadlock(Scheduler& scheduler);

// Where an address of a race lies, for its report; kept when threads are described afterwards.
void describe_race_object(channel::RunRecord& run, uintptr_t address);

}  // namespace jostle::rt
