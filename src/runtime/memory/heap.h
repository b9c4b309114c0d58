// The target's heap: an arena of ours at a fixed address, so that the same program under the same
// schedule gets the same addresses in every process, and so that double and invalid frees are seen.
//
// Segregated fit: blocks of a size class come from a free list (last freed first) or from the end
// of the arena; nothing is merged. Simple, fast and deterministic, which counts more here than the
// last percent of memory. The control block lies at the start of the arena itself.
//
// Used only while the runtime is in control: it has no locks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/schedule/channel.h"

namespace jostle::rt {

// All return null when there is no memory; callers set errno.
void* heap_allocate(size_t size, size_t alignment, uintptr_t pc);
// Frees, at `pc`; a pointer that is no live block of ours fails the run.
void heap_free(void* block, uintptr_t pc);
size_t heap_size(const void* block);

// The arena as far as it is used, and all of it.
MemoryUse heap_use();

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

// For reports: the block an address belongs to. False when it belongs to none.
bool describe_heap_address(uintptr_t address, channel::ObjectRecord& object);

}  // namespace jostle::rt
