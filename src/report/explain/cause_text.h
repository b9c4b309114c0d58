// SPDX-License-Identifier: Apache-2.0
// Puts a cause into words: what the failing run did otherwise than the passing one, and the claim
// that has to be run before it is said.
#pragma once

#include "src/report/explain/explain.h"

namespace jostle::report {

// Steps are those of the failing run. Without `tried` nothing is said of what happens then.
Suspicion suspicion_of(const Cause& cause, const NamedRun& failing, const NamedRun& passing,
                       const RunDifference& difference, bool tried = true);

}  // namespace jostle::report
