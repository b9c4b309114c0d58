// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/deadlock.h"

#include "src/runtime/fiber/donor.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/heap/mapping_history.h"
#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/sync/mutex.h"

namespace jostle::rt {
namespace {

// Who holds it by the mutex's own account, which also knows of threads whose slot is another's now.
uint32_t stored_holder(Scheduler& scheduler, const Operation& lock) {
  if (lock.kind != OpKind::mutex_lock) return kNoThread;
  const sync::Mutex& state = sync::state_of(reinterpret_cast<pthread_mutex_t*>(lock.object));
  // Asked once: another process may let go of a shared one at any time.
  const sync::Owner holder = sync::holder(state);
  if (!sync::is_initialised(state) || holder == sync::Owner::nobody) return kNoThread;
  const uint32_t index = sync::index_of(holder);
  // A stream is locked under the same name, but is no mutex.
  return index < scheduler.record().schedule.thread_count ? index : kNoThread;
}

// The thread that has to act before `t` can go on: who is joined, or the holder of the lock, which
// may have ended.
uint32_t waited_for(Scheduler& scheduler, const Thread& t) {
  if (t.pending.kind == OpKind::thread_join) {
    return reinterpret_cast<const Thread*>(t.pending.object)->index;
  }
  uint32_t ended = kNoThread;
  for (ThreadId id = 0; id < scheduler.table_size(); ++id) {
    const Thread* other = scheduler.thread_at(id);
    if (!other || !other->held.holds(t.pending.object)) continue;
    if (other->live) return other->index;
    ended = other->index;
  }
  const uint32_t stored = stored_holder(scheduler, t.pending);
  return stored != kNoThread ? stored : ended;
}

void describe_object(channel::RunRecord& run, uintptr_t address) {
  if (!address || run.object_count == channel::kMaxObjectRecords) return;
  for (uint32_t i = 0; i < run.object_count; ++i) {
    if (run.objects[i].address == address) return;
  }
  channel::ObjectRecord object{};
  object.address = address;
  if (describe_heap_address(address, object) || describe_mapping(address, object)) {
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
      object.offset = address - reinterpret_cast<uintptr_t>(t->context.tp);
    } else {
      continue;
    }
    object.thread = t->index;
    run.objects[run.object_count++] = object;
    return;
  }
  // Of one that has ended.
  uint32_t user;
  if (!in_donor_tls(address, user) || user == UINT32_MAX) return;
  const Thread& ended = *g_scheduler.thread_at(user);
  object.region = channel::Region::thread_local_storage;
  object.offset = address - reinterpret_cast<uintptr_t>(ended.context.tp);
  object.thread = ended.index;
  run.objects[run.object_count++] = object;
}

void copy_stack(channel::Stack& to, const channel::Stack* from) {
  if (from) to = *from;
}

void describe_held(channel::RunRecord& run, const Thread& t, channel::ThreadReport& report) {
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
}

void describe_thread(Scheduler& scheduler, const Thread& t, channel::ThreadReport& report) {
  channel::RunRecord& run = scheduler.record();
  report = {};
  report.thread = t.index;
  report.state =
      scheduler.is_enabled(t) ? channel::ThreadState::runnable : channel::ThreadState::blocked;
  if (t.stopped && (!t.in_lot || t.ready())) report.state = channel::ThreadState::stopped;
  report.pending = t.pending;
  const bool waits = (!scheduler.is_enabled(t) && report.state != channel::ThreadState::stopped) ||
                     t.pending.kind == OpKind::thread_join;
  report.waits_for_thread = waits ? waited_for(scheduler, t) : kNoThread;
  report.spins = t.aside;
  report.deadline = t.timed_wait ? t.deadline : kNever;
  if (t.pending.kind != OpKind::thread_join) describe_object(run, t.pending.object);
  describe_held(run, t, report);
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

// Threads that have ended and are waited for all the same: they took a lock with them.
void describe_ended_holders(Scheduler& scheduler, channel::RunRecord& run) {
  const uint32_t live = run.report_count;
  for (uint32_t i = 0; i < live && run.report_count < channel::kMaxThreadReports; ++i) {
    const uint32_t holder = run.reports[i].waits_for_thread;
    if (holder == kNoThread || report_of(run, holder)) continue;
    channel::ThreadReport& report = run.reports[run.report_count++];
    report = {};
    report.thread = holder;
    report.state = channel::ThreadState::finished;
    report.waits_for_thread = kNoThread;
    for (ThreadId id = 0; id < scheduler.table_size(); ++id) {
      const Thread* t = scheduler.thread_at(id);
      if (t && t->index == holder) describe_held(run, *t, report);
    }
  }
}

// What memory the end of the trace is about, so that reports can name it: what is shared first.
void describe_traced_objects(channel::RunRecord& run) {
  constexpr uint64_t kEvents = 1 << 16;
  constexpr uint32_t kObjects = 512;
  constexpr uint32_t kLately = 1 << 8;
  const uint64_t first = run.trace_count > kEvents ? run.trace_count - kEvents : 0;
  for (const bool visible : {true, false}) {
    const uint32_t most = run.object_count + kObjects;
    uintptr_t lately[kLately] = {};  // looked at: loops come to the same again and again
    for (uint64_t i = run.trace_count; i-- > first && run.object_count < most;) {
      const channel::TraceEvent& event = run.trace[i];
      if ((event.visible != 0) != visible || event.kind == OpKind::thread_join) continue;
      uintptr_t& seen = lately[event.object / 4 % kLately];
      if (seen == event.object) continue;
      seen = event.object;
      describe_object(run, event.object);
    }
  }
}

}  // namespace

void describe_threads(Scheduler& scheduler) {
  channel::RunRecord& run = scheduler.record();
  run.report_count = 0;
  run.object_count = run.race_objects;
  for (ThreadId id = 0; id < scheduler.table_size(); ++id) {
    const Thread* t = scheduler.thread_at(id);
    if (!t || !t->live || run.report_count == channel::kMaxThreadReports) continue;
    describe_thread(scheduler, *t, run.reports[run.report_count++]);
  }
  describe_ended_holders(scheduler, run);
  const bool is_stepped = scheduler.channel().config.mode == channel::Mode::step;
  if (scheduler.recording() && !is_stepped) describe_traced_objects(run);
}

void describe_race_object(channel::RunRecord& run, uintptr_t address) {
  run.object_count = run.race_objects;
  describe_object(run, address);
  run.race_objects = run.object_count;
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
