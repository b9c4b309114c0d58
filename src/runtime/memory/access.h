// SPDX-License-Identifier: Apache-2.0
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
bool access_slow(uintptr_t address, uintptr_t pc, OpKind kind, uint32_t size);

// Memory in which somebody counts what the program does (a fuzzer): not the program's own. A few
// ranges.
void ignore_accesses(const void* begin, const void* end);
void stop_ignoring_accesses();

// Memory that is known to be shared: a scheduling point.
void access_visible(uintptr_t address, uintptr_t pc, OpKind kind, uint32_t size);

// The kernel reads or writes memory for the running thread, in a call that is a scheduling point
// itself.
void kernel_access(bool writes, const void* begin, size_t size, uintptr_t pc);

// A hook has written to what the program's own code reads. For who has to see all such reads.
void note_written(const void* begin);

// The running thread gives memory back, at `pc`.
void note_freed(uintptr_t begin, size_t size, uintptr_t pc);
// REQUIRES: g_actions.active(). Pages that are unmapped, protected or emptied: as a write of what
// is there, of the first MiB.
void note_emptied(uintptr_t begin, size_t size);

// What an access asks for.
enum class Asks { nothing, scheduling_point, slow_path };

// Counts the access and looks at its memory. kInOneCell: it cannot cross an 8-byte boundary.
template <bool kWrites, bool kInOneCell>
inline __attribute__((always_inline)) Asks asks(uintptr_t address, uint32_t size) {
  Thread* t = g_current;
  const SharingCell* watched = g_fast_path.watched;
  if (!t) return Asks::nothing;
  if (!watched) {
    if (g_embedded && !controlled()) [[unlikely]]
      return Asks::nothing;  // a thread of the process that is not ours
    watched = g_watched;
  }
  if (++t->events >= t->stop_at) [[unlikely]]
    return Asks::slow_path;
  if (!watched) return Asks::nothing;
  const SharingCell cell = watched[sharing_index(address)];
  const SharingCell mine = kWrites ? (t->sharing.tag | kWritten) : t->sharing.tag;
  const bool in_one_cell = kInOneCell || (address & 7) + size <= 8;
  if (!in_one_cell) return Asks::slow_path;
  if (kWrites ? cell == mine : (cell & ~kWritten) == mine) [[likely]]
    return Asks::nothing;
  return (cell & kVisible) == kVisible ? Asks::scheduling_point : Asks::slow_path;
}

// The rest of the access, in which others may run. True when it was a scheduling point.
inline __attribute__((always_inline)) bool answer(Asks what, OpKind kind, uintptr_t address,
                                                  uint32_t size, uintptr_t pc) {
  if (what == Asks::nothing) return false;
  if (what == Asks::slow_path) return access_slow(address, pc, kind, size);
  access_visible(address, pc, kind, size);
  return true;
}

template <bool kWrites, bool kInOneCell = false>
inline __attribute__((always_inline)) bool access(OpKind kind, uintptr_t address, uint32_t size,
                                                  uintptr_t pc) {
  return answer(asks<kWrites, kInOneCell>(address, size), kind, address, size, pc);
}

inline bool read_access(const volatile void* p, uint32_t size, uintptr_t pc) {
  return access<false>(OpKind::read, reinterpret_cast<uintptr_t>(p), size, pc);
}
inline bool write_access(const volatile void* p, uint32_t size, uintptr_t pc) {
  return access<true>(OpKind::write, reinterpret_cast<uintptr_t>(p), size, pc);
}

}  // namespace jostle::rt
