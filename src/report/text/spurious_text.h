// SPDX-License-Identifier: Apache-2.0
// A failing run in which a wait ended without a signal: that has to be said, because the program's
// text does not show it.
#pragma once

#include "src/report/explain/explain.h"

namespace jostle::report {

inline constexpr char kSpuriousText[] = "woken without a signal (spurious wake-up)";

// `why`, with a sentence in front for the first such wait; as it is when there is none.
Explanation explain_spurious(const NamedRun& failing, Explanation why);

}  // namespace jostle::report
