// SPDX-License-Identifier: Apache-2.0
// To be included last by hooks in which a thread waits: from here on CALLER() also notes where the
// program's own stack ends while the thread is in the hook. What is deeper is ours, and nobody's to
// point to (memory/stack_check.h). Not for the hooks of plain accesses, which are too many.
#pragma once

#include "src/runtime/hook/hook.h"

namespace jostle::rt {

inline uintptr_t noted_caller(uintptr_t pc, const void* frame) {
  if (Thread* t = g_current) {
    t->hook_frame = reinterpret_cast<uintptr_t>(frame);
    t->hook_pc = pc;
  }
  return pc;
}

}  // namespace jostle::rt

#undef CALLER
#define CALLER()                                                                     \
  jostle::rt::noted_caller(reinterpret_cast<uintptr_t>(__builtin_return_address(0)), \
                           __builtin_dwarf_cfa())
