// SPDX-License-Identifier: Apache-2.0
// What a recorded run leaves behind, step by step.
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/stack_objects.h"

// A place for debuggers to stop before an event, see Config::stop_at_event.
extern "C" __attribute__((visibility("default"), noinline)) void jostle_event_hook(
    uint64_t number) {
  asm volatile("" : : "r"(number) : "memory");
}

namespace jostle::rt {

// Where in the program's own code an operation comes from. Calls that a library makes for it are
// found on the stack; that is slow, and memory accesses have nothing to gain by it.
uintptr_t Scheduler::place_of(const Operation& op) {
  const uintptr_t own = points_.own_code(op.pc, current_->calls);
  if (is_memory(op.kind) || is_instrumented_code(own)) return own;
  channel::Stack stack;
  capture_own_stack(stack, op.pc);
  for (uint32_t i = 0; i < stack.depth; ++i) {
    const uintptr_t pc = stack.pc[i];
    if (is_instrumented_code(pc) && points_.stop_at(pc) != channel::kStopLibrary) return pc;
  }
  return own;
}

void Scheduler::trace(const Operation& op, bool visible) {
  note_value();
  if (visible && op.kind != OpKind::thread_join) note_stack_object(*this, op.object, op.pc);
  channel::RunRecord& run = record();
  if (run.trace_count == channel::kMaxTraceEvents) {
    run.trace_truncated = 1;
    return;
  }
  const bool has_value = is_memory(op.kind) && op.size != 0 && op.size <= sizeof(uint64_t);
  channel::TraceEvent& event = run.trace[run.trace_count++];
  event = {};
  event.thread = current_->index;
  event.kind = op.kind;
  event.visible = visible;
  event.size = op.size;
  event.event = current_->events;
  event.object = op.object;
  event.own_stack = op.object >= current_->stack_begin && op.object < current_->stack_end;
  event.pc = place_of(op);
  current_->unread_value = has_value ? &event : nullptr;
  current_->traced = &event;
  note_origin(op.pc);
  if (run.trace_count == channel_->config.stop_at_event) jostle_event_hook(run.trace_count);
}

// Who a thread is shows where it comes from: when the run is over it may be gone. What leads to the
// program's own function (std::thread's, say) may have events, too: the deepest of a few stacks
// tells most.
void Scheduler::note_origin(uintptr_t pc) {
  constexpr uint64_t kFirstEvents = 16;
  if (current_->index == 0 || current_->index >= channel::kMaxFirstStacks) return;
  if (current_->events > kFirstEvents) return;
  channel::Stack& kept = record().first_stacks[current_->index];
  if (current_->events <= 1) kept.depth = 0;
  channel::Stack now;
  capture_own_stack(now, pc);
  if (now.depth > kept.depth) kept = now;
}

void Scheduler::note_atomic(uintptr_t object, uint64_t value, bool wrote, int order, bool stale) {
  channel::TraceEvent* event = current_->traced;
  if (!event || event->object != object) return;
  event->order = static_cast<uint8_t>(order + 1);
  event->stale = stale;
  if (current_->unread_value == event) {
    event->value = value;
    event->value_known = 1;
    current_->unread_value = nullptr;
  }
  if (!wrote && event->kind == OpKind::atomic_rmw) {
    event->kind = OpKind::atomic_load;
    event->failed = 1;
  }
}

void Scheduler::note_in_vain(uintptr_t object) {
  channel::TraceEvent* event = current_->traced;
  if (event && event->object == object && is_attempt(event->kind)) event->failed = 1;
}

// A thread's access is done when it comes to its next hook, and nobody else has run since: what the
// memory holds then is what was written; what is read is there before (access.cc). A variable of a
// function that has returned since is gone: others have used its memory.
void Scheduler::note_value() {
  channel::TraceEvent* event = current_->unread_value;
  if (!event) return;
  current_->unread_value = nullptr;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (event->own_stack && event->object < here) return;
  event->value_known = safe_read(event->object, &event->value, event->size);
}

// A write that nobody can read any more is announced, but the optimiser may have left it out: what
// it would have written is not known.
void Scheduler::note_value_before_free(uintptr_t begin, size_t size) {
  const channel::TraceEvent* event = current_->unread_value;
  if (event && event->kind == OpKind::write && event->object - begin < size) {
    current_->unread_value = nullptr;
  }
  note_value();
}

Scheduler::TracedOperation Scheduler::set_traced_aside() {
  channel::TraceEvent* const event = current_->traced;
  if (!recording_ || !event || event->event != current_->events) return {};
  const bool is_unread = current_->unread_value == event;
  if (is_unread) current_->unread_value = nullptr;
  event->event = channel::kNotExecuted;
  return {event, is_unread};
}

void Scheduler::take_up_traced(const TracedOperation& interrupted) {
  note_value();  // the handler's last
  interrupted.event->event = current_->events;
  current_->traced = interrupted.event;
  if (interrupted.is_unread) current_->unread_value = interrupted.event;
}

}  // namespace jostle::rt
