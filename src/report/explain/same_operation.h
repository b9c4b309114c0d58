// SPDX-License-Identifier: Apache-2.0
// One operation in two runs: where it is in the other one, and how often it came there.
#pragma once

#include "src/report/explain/explain.h"

namespace jostle::report {

Suspicion::Operation operation_of(const NamedRun& run, uint32_t step);

// Is this step in code that the program's author wrote?
bool is_own(const NamedRun& run, uint32_t step);

// The step at this number of its thread's events; kNoStep.
uint32_t find_exactly(const NamedRun& run, const Suspicion::Operation& wanted);
// The same operation, not another that its thread did instead; kNoStep.
uint32_t find_same(const NamedRun& run, const Suspicion::Operation& wanted);
bool touches(const channel::TraceEvent& event, const Suspicion::Operation& wanted);

// How often the thread did this, at the same place of the program and to the same bytes, before
// that step: its numbers may be others in another run.
uint32_t times_before(const NamedRun& run, const Suspicion::Operation& wanted, uint32_t before);

}  // namespace jostle::report
