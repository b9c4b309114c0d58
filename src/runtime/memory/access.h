// The hot path: what happens at every instrumented memory access.
//
// `access` returns at once for memory that is not shared (see sharing.h); otherwise it is a
// scheduling point. The access itself happens after it returns, in the program's own code, before
// any other thread can run.
#pragma once

#include "src/runtime/memory/sharing.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// The slow path: first touch, shared memory, limits, recording. True when it was a scheduling
// point.
bool access_slow(OpKind kind, uintptr_t address, uint32_t size, uintptr_t pc);

// Memory that is known to be shared: a scheduling point.
void access_visible(OpKind kind, uintptr_t address, uint32_t size, uintptr_t pc);

// True when the access was a scheduling point.
template <bool kWrites>
inline bool access(OpKind kind, uintptr_t address, uint32_t size, uintptr_t pc) {
  Thread* t = g_current;
  if (!t) return false;
  if (++t->events < t->stop_at) [[likely]] {
    if (!g_several_threads) return false;
    const SharingCell cell = sharing_cell(address);
    const SharingCell mine = kWrites ? (t->sharing_tag | kWritten) : t->sharing_tag;
    const bool one_cell = (address & 7) + size <= 8;
    if (one_cell && (kWrites ? cell == mine : (cell & ~kWritten) == mine)) return false;
    if (one_cell && (cell & kVisible) == kVisible) {
      access_visible(kind, address, size, pc);
      return true;
    }
  }
  return access_slow(kind, address, size, pc);
}

inline bool read_access(const volatile void* p, uint32_t size, uintptr_t pc) {
  return access<false>(OpKind::read, reinterpret_cast<uintptr_t>(p), size, pc);
}
inline bool write_access(const volatile void* p, uint32_t size, uintptr_t pc) {
  return access<true>(OpKind::write, reinterpret_cast<uintptr_t>(p), size, pc);
}

}  // namespace jostle::rt
