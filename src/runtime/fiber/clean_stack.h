// SPDX-License-Identifier: Apache-2.0
// Hooks that leave nothing of theirs below the program's frames. What a function finds in variables
// that it has not written, padding above all, is then its own program's doing, and not that of how
// threads were scheduled: results of runs can be compared byte by byte (`--atomic`).
// The heap gives out zeros then, for the same reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/kept.h"

namespace jostle::rt {

// Somebody compares what runs leave in memory. Set before the first run.
extern JOSTLE_HIDDEN bool g_compares_memory;

extern "C" {
// Fills `size` bytes (a multiple of 16) below its caller's frame with zeros and returns `result`.
// The last thing that a hook calls, as a tail call: then the caller's frame is the program's.
bool jostle_clean_stack(bool result, size_t size);
}

}  // namespace jostle::rt
