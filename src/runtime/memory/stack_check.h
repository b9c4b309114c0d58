// SPDX-License-Identifier: Apache-2.0
// A thread touches another one's stack where that has nothing any more: the function whose variable
// it was has returned (stack-use-after-return). Or thread-local storage whose thread has ended,
// until another one has it.
//
// Known for certain only. A thread that does not run is inside a hook, and what its stack holds
// below the hook's frame is nobody's: where the hook has noted its frame that is exact, elsewhere
// it is where our own frames end. Stacks that the program brought itself, threads that are on
// another stack at the time (signal stacks), main after its end, and everything once the program
// uses contexts are left alone.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/schedule/operation.h"

namespace jostle::rt {

// Bounds of what may be a stack, or thread-local storage: those of all fibers, which lie one after
// the other, and main's stack. Empty when nothing is checked.
extern JOSTLE_HIDDEN uintptr_t g_fibers_begin, g_fibers_size;
extern JOSTLE_HIDDEN uintptr_t g_main_stack_begin, g_main_stack_size;

void begin_stack_check(bool wanted);
// For the rest of the run: threads have stacks that lie where nobody knows, in each other, even.
void end_stack_check();

void check_stack_access(OpKind kind, uintptr_t address, uintptr_t size, uintptr_t pc);

// Where the access happens, not where it is announced: the owner may have gone on in between.
inline void check_stack(OpKind kind, uintptr_t address, uintptr_t size, uintptr_t pc) {
  if (address - g_fibers_begin < g_fibers_size || address - g_main_stack_begin < g_main_stack_size)
      [[unlikely]] {
    check_stack_access(kind, address, size, pc);
  }
}

}  // namespace jostle::rt
