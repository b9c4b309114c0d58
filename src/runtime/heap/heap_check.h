// SPDX-License-Identifier: Apache-2.0
// What is wrong with an access to the heap: use after free, and what lies outside of every block.
//
// Looked at where an access may be wrong and nowhere else. The cells of the sharing table
// (sharing.h) that belong to freed blocks and to the red zones between blocks carry a mark instead
// of an owner, so that the fast path never takes them for the thread's own. An access that does not
// take the fast path anyway is always looked at.
//
// Precise to eight bytes, the size of a cell; an access of more than one cell to the byte.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/runtime/memory/sharing.h"
#include "src/schedule/channel.h"
#include "src/schedule/operation.h"

namespace jostle::rt {

// `--check heap`, while a run is going.
extern JOSTLE_HIDDEN bool g_heap_checked;
// Accesses in `[begin, begin + size)` are the heap's business.
extern JOSTLE_HIDDEN uintptr_t g_heap_begin, g_heap_size;

void begin_heap_check(const channel::Channel& channel);

enum class HeapState { valid, freed, outside };
HeapState heap_state(uintptr_t address, uintptr_t size);

// The same as a question: fails the run if the access is wrong.
void check_heap_access(OpKind kind, uintptr_t address, uintptr_t size, uintptr_t pc);

inline void check_heap(OpKind kind, uintptr_t address, uintptr_t size, uintptr_t pc) {
  if (address - g_heap_begin < g_heap_size && g_heap_checked && several_threads()) {
    check_heap_access(kind, address, size, pc);
  }
}
// For one cell whose accesses are no longer looked at otherwise.
inline void check_marked(OpKind kind, uintptr_t address, uintptr_t size, uintptr_t pc) {
  if (is_marked(address)) [[unlikely]]
    check_heap(kind, address, size, pc);
}

}  // namespace jostle::rt
