// SPDX-License-Identifier: Apache-2.0
// Who mapped memory, and where: for reports, so only while recording.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/schedule/run_end.h"

namespace jostle::rt {

// The running thread got this memory from a call at `pc`.
void note_mapping(uintptr_t begin, size_t size, uintptr_t pc);

// Fills in what is known of the mapping that has the address. False: there is none.
bool describe_mapping(uintptr_t address, channel::ObjectRecord& object);

}  // namespace jostle::rt
