// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/held_locks.h"

#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

void note_acquired(uintptr_t object, OpKind kind, uintptr_t pc) {
  HeldLocks::Entry& entry = g_current->held.add(object, kind, pc);
  const CallStack& calls = g_current->calls;
  for (uint32_t i = 0; i < HeldLocks::Entry::kMostCallers; ++i) {
    const bool is_there = i < calls.depth();
    entry.callers[i] = is_there ? calls.storage()[calls.depth() - 1 - i].caller : 0;
  }
  if (!g_scheduler.recording()) return;
  if (!entry.stack) {
    entry.stack = static_cast<channel::Stack*>(engine_allocate(sizeof(channel::Stack)));
  }
  capture_own_stack(*entry.stack, pc);
}

}  // namespace jostle::rt
