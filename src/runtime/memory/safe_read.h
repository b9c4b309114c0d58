// SPDX-License-Identifier: Apache-2.0
// Reads memory of the program that may not be there, without a system call: a fault in the few
// instructions that read makes them say so (oracle/fatal_signals.cc). For what happens at every
// operation; elsewhere base/own_memory.h does it without handlers of signals.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/kept.h"

namespace jostle::rt {

// False when not all of it could be read.
bool safe_read(uintptr_t from, void* to, size_t size);

// Could the byte be written? It keeps its value. True when that is not known.
bool is_writable(uintptr_t address);

// The handler of faults is there.
void may_read_safely();
// For that handler: where to go on if the fault at `pc` was one of ours; 0: it was not.
uintptr_t after_failed_read(uintptr_t pc);

}  // namespace jostle::rt
