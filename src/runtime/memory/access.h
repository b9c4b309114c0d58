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

// Memory in which somebody counts what the program does (a fuzzer): not the program's own. A few
// ranges.
void ignore_accesses(const void* begin, const void* end);
void stop_ignoring_accesses();

// Memory that is known to be shared: a scheduling point.
void access_visible(OpKind kind, uintptr_t address, uint32_t size, uintptr_t pc);

// The kernel reads or writes memory for the running thread, in a call that is a scheduling point
// itself.
void kernel_access(bool writes, const void* begin, size_t size, uintptr_t pc);

// The running thread gives memory back, at `pc`.
void note_freed(uintptr_t begin, size_t size, uintptr_t pc);

// True when the access was a scheduling point. kInOneCell: it cannot cross an 8-byte boundary.
template <bool kWrites, bool kInOneCell = false>
inline bool access(OpKind kind, uintptr_t address, uint32_t size, uintptr_t pc) {
  Thread* t = g_current;
  if (!t) return false;
  if (g_embedded && !controlled()) [[unlikely]]
    return false;  // a thread of the process that is not ours
  if (++t->events < t->stop_at) [[likely]] {
    const SharingCell* watched = g_watched;
    if (!watched) return false;
    const SharingCell cell = watched[sharing_index(address)];
    const SharingCell mine = kWrites ? (t->sharing_tag | kWritten) : t->sharing_tag;
    const bool in_one_cell = kInOneCell || (address & 7) + size <= 8;
    if (in_one_cell && (kWrites ? cell == mine : (cell & ~kWritten) == mine)) return false;
    if (in_one_cell && (cell & kVisible) == kVisible) {
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
// Of a size up to 8 and aligned to it, as the compiler promises.
inline bool aligned_read(const volatile void* p, uint32_t size, uintptr_t pc) {
  return access<false, true>(OpKind::read, reinterpret_cast<uintptr_t>(p), size, pc);
}
inline bool aligned_write(const volatile void* p, uint32_t size, uintptr_t pc) {
  return access<true, true>(OpKind::write, reinterpret_cast<uintptr_t>(p), size, pc);
}

}  // namespace jostle::rt
