#include "src/runtime/oracle/deadlock.h"

#include "src/runtime/memory/heap.h"
#include "src/runtime/oracle/backtrace.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

// The thread that has to act before `t` can go on: the holder of the lock, or who is joined.
const Thread* waited_for(Scheduler& scheduler, const Thread& t) {
  if (t.pending.kind == OpKind::thread_join) {
    return reinterpret_cast<const Thread*>(t.pending.object);
  }
  for (ThreadId id = 0; id < scheduler.table_size(); ++id) {
    const Thread* other = scheduler.thread_at(id);
    if (other && other->live && other->held.holds(t.pending.object)) return other;
  }
  return nullptr;
}

void describe_object(channel::RunRecord& run, uintptr_t address) {
  if (!address || run.object_count == channel::kMaxObjectRecords) return;
  for (uint32_t i = 0; i < run.object_count; ++i) {
    if (run.objects[i].address == address) return;
  }
  channel::ObjectRecord object{};
  object.address = address;
  if (describe_heap_address(address, object)) {
    run.objects[run.object_count++] = object;
    return;
  }
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* t = g_scheduler.thread_at(id);
    if (!t || !t->live) continue;
    if (address >= t->stack_begin && address < t->stack_end) {
      object.region = channel::Region::stack;
    } else if (in_static_tls(t->context.tp, address)) {
      object.region = channel::Region::thread_local_storage;
    } else {
      continue;
    }
    object.thread = t->index;
    run.objects[run.object_count++] = object;
    return;
  }
}

void copy_stack(channel::Stack& to, const channel::Stack* from) {
  if (from) to = *from;
}

void describe_thread(Scheduler& scheduler, const Thread& t, channel::ThreadReport& report) {
  channel::RunRecord& run = scheduler.record();
  report = {};
  report.thread = t.index;
  report.state = t.enabled ? channel::ThreadState::runnable : channel::ThreadState::blocked;
  report.pending = t.pending;
  report.waits_for_thread = kNoThread;
  if (!t.enabled) {
    if (const Thread* other = waited_for(scheduler, t)) report.waits_for_thread = other->index;
    if (t.pending.kind != OpKind::thread_join) describe_object(run, t.pending.object);
  }
  report.held_count = t.held.count();  // also of those that are not named
  for (uint32_t i = 0; i < report.held_count && i < channel::kMaxHeldLocks; ++i) {
    const HeldLocks::Entry& entry = t.held[i];
    channel::HeldLock& held = report.held[i];
    held.object = entry.object;
    held.kind = entry.kind;
    held.count = 1;
    copy_stack(held.acquired_at, entry.stack);
    if (held.acquired_at.depth == 0) {
      held.acquired_at.depth = 1;
      held.acquired_at.pc[0] = entry.pc;
    }
    describe_object(run, entry.object);
  }
  if (&t == &scheduler.self()) {
    capture_own_stack(report.stack, t.pending.pc);
  } else {
    copy_stack(report.stack, t.stopped_at);
    if (report.stack.depth == 0 && t.pending.pc) {
      report.stack.depth = 1;
      report.stack.pc[0] = t.pending.pc;
    }
  }
}

channel::ThreadReport* report_of(channel::RunRecord& run, uint32_t thread) {
  for (uint32_t i = 0; i < run.report_count; ++i) {
    if (run.reports[i].thread == thread) return &run.reports[i];
  }
  return nullptr;
}

}  // namespace

void describe_threads(Scheduler& scheduler) {
  channel::RunRecord& run = scheduler.record();
  run.report_count = run.object_count = 0;
  for (ThreadId id = 0; id < scheduler.table_size(); ++id) {
    const Thread* t = scheduler.thread_at(id);
    if (!t || !t->live || run.report_count == channel::kMaxThreadReports) continue;
    describe_thread(scheduler, *t, run.reports[run.report_count++]);
  }
}

void describe_deadlock(Scheduler& scheduler) {
  describe_threads(scheduler);
  channel::RunRecord& run = scheduler.record();
  // Each thread waits for at most one other: walking the chain report_count times from anywhere
  // ends inside a cycle if there is one.
  for (uint32_t start = 0; start < run.report_count; ++start) {
    channel::ThreadReport* at = &run.reports[start];
    for (uint32_t i = 0; at && i < run.report_count; ++i) at = report_of(run, at->waits_for_thread);
    if (!at) continue;
    channel::ThreadReport* const first = at;
    do {
      at->in_cycle = 1;
      at = report_of(run, at->waits_for_thread);
    } while (at && at != first);
  }
}

}  // namespace jostle::rt
