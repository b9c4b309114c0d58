// SPDX-License-Identifier: Apache-2.0
// The target's heap: an arena of ours at a fixed address, so that the same program under the same
// schedule gets the same addresses in every process, and so that double and invalid frees are seen.
//
// Segregated fit: blocks of a size class come from a free list or from the end of the arena;
// nothing is merged. A freed block waits before it gets onto the free list, so that a use after it
// is still seen as one. Simple, fast and deterministic, which counts more here than the last
// percent of memory. The control block lies at the start of the arena itself.
//
// Used only while the runtime is in control: it has no locks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/schedule/run_record.h"

namespace jostle::rt {

// All return null when there is no memory; callers set errno.
void* heap_allocate(size_t size, size_t alignment, uintptr_t pc);
// Frees, at `pc`; a pointer that is no live block of ours fails the run.
void heap_free(void* block, uintptr_t pc);
// From now on a freed block is the next that is handed out: what mixes up an object and a later one
// at the same address shows.
void reuse_heap_at_once();
// What was asked for.
size_t heap_size(const void* block);
// Makes it larger or smaller where it is, if that fits.
bool heap_resize(void* block, size_t size);

// The arena as far as it is used, and all of it.
MemoryUse heap_use();

// No more than this is handed out at a time: the program has limited its own memory.
void limit_heap(size_t bytes);
size_t heap_live();

// The address lies in the arena.
bool in_heap(uintptr_t address);

// The block an address belongs to, as far as names need it: `ordinal` 0 when it is not known.
struct HeapBlock {
  uintptr_t begin;
  uintptr_t pc;
  uint32_t thread;  // index of who allocated it
  uint32_t ordinal;
};
HeapBlock heap_block_of(uintptr_t address);

// For reports: the block an address belongs to, or lies next to. False when there is none.
bool describe_heap_address(uintptr_t address, channel::ObjectRecord& object);

// For the search for leaks. The live block that `pointer` points into, when it was not reached
// before; and where the blocks come from that were not, into the run's record: how many places.
bool heap_mark_reached(uintptr_t pointer, uintptr_t& begin, uintptr_t& end);
uint32_t heap_list_unreached(channel::RunRecord& run);

}  // namespace jostle::rt
