// SPDX-License-Identifier: Apache-2.0
// Synchronisation objects and threads that are given up while somebody needs them, or twice.
#pragma once

#include "src/report/explain/explain.h"

namespace jostle::report {

// Who waited for what was destroyed, or held it; who had joined the thread before. Only what the
// run itself shows.
void explain_misuse(const NamedRun& failing, Explanation& into);

// Something was destroyed too early: with the claim that its thread waits with that for the others.
// Nothing when that is not how the run ended.
std::optional<Suspicion> destroyed_too_early(const NamedRun& failing);

}  // namespace jostle::report
