// SPDX-License-Identifier: Apache-2.0
// Names of memory locations that are the same in every run and process, as hashes: a global is
// module+offset, a heap object (who allocated it, where, its number there) + offset, a stack
// slot (whose stack) + depth. Addresses of heap objects are not: they depend on the order of
// allocations, and so on the schedule.
#pragma once

#include <cstdint>

namespace jostle::rt {

uint64_t location_name(uintptr_t address);
// The same for a thread, by its index in this run: a hash of its spawn path.
uint64_t thread_path(uint32_t thread_index);

// The number of this allocation at `pc` by the running thread, from 1. 0 while there is only
// one thread: then the order of allocations is the same in every run, and addresses will do.
uint32_t allocation_ordinal(uintptr_t pc);
// A new run: ordinals start again.
void begin_location_names();

}  // namespace jostle::rt
