// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/heap/heap_history.h"

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT constinit HeapHistory g_heap_history;

void HeapHistory::note(uintptr_t block, uintptr_t pc, bool frees) {
  if (!g_scheduler.recording()) return;
  if (!events_) events_ = static_cast<Event*>(engine_allocate(kEvents * sizeof(Event)));
  Event& event = events_[count_++ % kEvents];
  event.block = block;
  event.event = g_current->events;
  event.thread = g_current->index;
  event.frees = frees;
  event.depth = 0;
  event.pc[event.depth++] = pc;
  const CallStack& calls = g_current->calls;
  for (uint32_t i = 0; i < calls.depth() && event.depth < kDepth; ++i) {
    event.pc[event.depth++] = calls.caller(i);
  }
  JOSTLE_CHECK(event.depth != 0 && event.depth <= kDepth);
}

void HeapHistory::describe(uintptr_t block, channel::ObjectRecord& object) const {
  const uint64_t oldest = count_ > kEvents ? count_ - kEvents : 0;
  for (uint64_t i = count_; i-- > oldest;) {
    const Event& event = events_[i % kEvents];
    JOSTLE_CHECK_LE(event.depth, kDepth);
    if (event.block != block) continue;
    channel::Stack& stack = event.frees ? object.freed_at : object.allocated_at;
    stack.depth = event.depth;
    for (uint32_t k = 0; k < event.depth; ++k) stack.pc[k] = event.pc[k];
    if (!event.frees) return;  // what came before was another life of the block
    if (!object.freed) continue;
    object.freed_by = event.thread;
    object.freed_event = event.event;
  }
}

}  // namespace jostle::rt
