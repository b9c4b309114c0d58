// SPDX-License-Identifier: Apache-2.0
// A failing run in which a wait ended without a signal, or a compare_exchange_weak failed without a
// reason: that has to be said, because the program's text does not show it.
#pragma once

#include <string_view>

#include "src/report/explain/explain.h"
#include "src/schedule/operation.h"

namespace jostle::report {

// Of the event that is marked as such.
inline constexpr std::string_view spurious_text(OpKind kind) {
  return is_memory(kind) ? "spurious failure" : "woken without a signal (spurious wake-up)";
}

// `why`, with a sentence in front for the first such event; as it is when there is none.
Explanation explain_spurious(const NamedRun& failing, Explanation why);

}  // namespace jostle::report
