// SPDX-License-Identifier: Apache-2.0
// A failing run in which a wait ended without a signal, or a compare_exchange_weak failed without a
// reason: that has to be said, because the program's text does not show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/report/explain/explain.h"
#include "src/schedule/operation.h"

namespace jostle::report {

// Of the event that is marked as such.
inline constexpr std::string_view spurious_text(OpKind kind) {
  return is_memory(kind) ? "spurious failure" : "woken without a signal (spurious wake-up)";
}

// The first such event of a run, by its step; nothing when there is none.
std::optional<uint32_t> first_spurious(const NamedRun& run);

// The thread comes to the same place again: it is in a loop, as it has to be.
bool is_looked_at_again(const NamedRun& run, uint32_t step);

// `why`, with a sentence in front for the first such event; as it is when there is none. `decides`:
// without it the same schedule passes.
Explanation explain_spurious(const NamedRun& failing, Explanation why, bool decides = false);

}  // namespace jostle::report
