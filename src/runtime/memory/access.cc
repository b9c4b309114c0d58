// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/access.h"

#include "src/runtime/fiber/clean_stack.h"
#include "src/runtime/heap/heap_check.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/stack_check.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduling_point.h"
#include "src/runtime/scheduler/thread_state.h"

namespace jostle::rt {
namespace {

struct Range {
  uintptr_t begin, end;
};
constexpr uint32_t kMostIgnored = 8;
JOSTLE_KEPT Range g_ignored[kMostIgnored];
JOSTLE_KEPT uint32_t g_ignored_count = 0;

bool is_ignored(uintptr_t address) {
  for (uint32_t i = 0; i < g_ignored_count; ++i) {
    if (address >= g_ignored[i].begin && address < g_ignored[i].end) return true;
  }
  return false;
}

// Nobody else in this epoch of the run has touched this memory of the heap, and nobody but the
// heap's check wants to know: what programs over large data do at every other granule. Makes it the
// thread's own, as `touch` does; false: has to be looked at.
inline bool takes_for_itself(Thread& t, uintptr_t address, uint32_t size, bool writes) {
  if (address - g_heap_begin >= g_heap_size || (address & 7) + size > 8) return false;
  if (t.events >= t.stop_at || t.stillness.watching() || g_scheduler.looks_closer()) return false;
  if (g_sharing_per_run || g_races.sees_everything() || !several_threads()) return false;
  SharingCell& cell = sharing_cell(address);
  if ((cell & kTouchedByTwo) || (cell & kOwnerMask) == g_mark ||
      is_concurrent(cell & kOwnerMask, t.sharing)) {
    return false;
  }
  cell = t.sharing.tag | (cell & kWritten) | (writes ? kWritten : 0);
  return true;
}

// Notes that `t` touches the granule; true when its accesses are scheduling points.
bool touch(Thread& t, uintptr_t address, bool writes) {
  SharingCell& cell = sharing_cell(address);
  if ((cell & kVisible) == kVisible) return true;  // who touched it last is of no interest any more
  SharingCell flags = cell & kVisible;
  const SharingCell owner = (cell & kOwnerMask) == g_mark ? 0 : cell & kOwnerMask;
  if (writes) flags |= kWritten;
  if (address >= t.stack_begin && address < t.stack_end) {
    // The own stack is touched by others only through a pointer that escaped: they mark it.
  } else if (in_fiber_stacks(address) || (address >= g_scheduler.thread_at(0)->stack_begin &&
                                          address < g_scheduler.thread_at(0)->stack_end)) {
    flags |= kTouchedByTwo;  // somebody else's stack
  } else if (is_concurrent(owner, t.sharing)) {
    flags |= kTouchedByTwo;
  }
  cell = flags | t.sharing.tag;
  if (g_sharing_per_run && !is_of_this_epoch(owner)) note_touched_cell(address);
  if ((flags & kVisible) != kVisible) return false;
  ++g_scheduler.record().newly_shared;
  if (g_actions.active()) g_actions.shared(sharing_index(address));
  // Its owner so far; operations on atomics there were not seen.
  if (is_of_this_epoch(owner)) g_races.became_shared(address, owner_of(owner));
  return true;
}

uint64_t value_at(uintptr_t address, uint32_t size) {
  const auto* from = reinterpret_cast<const void*>(address);
  uint64_t value = 0;
  switch (size) {  // a copy of a size that is known takes one instruction
    case 1:
      __builtin_memcpy(&value, from, 1);
      break;
    case 4:
      __builtin_memcpy(&value, from, 4);
      break;
    case 8:
      __builtin_memcpy(&value, from, 8);
      break;
    default:
      __builtin_memcpy(&value, from, size < 8 ? size : 8);
  }
  return value;
}

// What is read is in memory when the access goes ahead; at the next hook a function's variable may
// be gone.
void note_read(OpKind kind) {
  if (kind == OpKind::read && g_scheduler.recording()) g_scheduler.note_value();
}

}  // namespace

void ignore_accesses(const void* begin, const void* end) {
  if (begin >= end || g_ignored_count == kMostIgnored) return;
  g_ignored[g_ignored_count++] = {reinterpret_cast<uintptr_t>(begin),
                                  reinterpret_cast<uintptr_t>(end)};
}
void stop_ignoring_accesses() { g_ignored_count = 0; }

bool access_slow(uintptr_t address, uintptr_t pc, OpKind kind, uint32_t size) {
  Thread& t = *g_current;
  if (g_ignored_count && is_ignored(address)) {
    --t.events;
    return false;
  }
  if (takes_for_itself(t, address, size, !only_reads(kind))) {
    check_heap(kind, address, size, pc);
    return false;
  }
  bool forced = t.events >= t.stop_at && g_scheduler.at_limit(t);
  if (t.stillness.watching()) [[unlikely]]
    forced |= g_scheduler.watch(kind, size, address, pc);
  if (g_scheduler.sampling()) [[unlikely]]
    forced |= g_scheduler.sample(kind, address, size, pc);
  const bool writes = !only_reads(kind);
  bool visible = false;
  if (several_threads()) {
    const uintptr_t end = address + (size ? size : 1);
    for (uintptr_t p = address; p < end; p = (p & ~uintptr_t{7}) + 8)
      visible |= touch(t, p, writes);
    if (!visible) visible = g_scheduler.presumes_shared(t, address);
  }
  if (g_scheduler.recording()) g_scheduler.trace({kind, size, address, pc}, visible);
  if (!visible && !forced) {
    const bool on_own_stack = address >= t.stack_begin && address < t.stack_end;
    if (t.loop.in_loop() && writes && !on_own_stack) {
      kind == OpKind::write ? g_scheduler.changes_own_memory(address, size)
                            : t.loop.changed_something();
    }
    if (g_races.sees_everything()) g_races.executed(kind, size, address, pc);
    check_heap(kind, address, size, pc);
    note_read(kind);
    return g_compares_memory ? jostle_clean_stack(false, stack_to_clean()) : false;
  }
  access_visible(address, pc, kind, size);
  check_heap(kind, address, size, pc);
  note_read(kind);
  return g_compares_memory ? jostle_clean_stack(true, stack_to_clean()) : true;
}

void kernel_access(bool writes, const void* begin, size_t size, uintptr_t pc) {
  if (!controlled() || !several_threads() || !begin || size == 0) return;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  check_heap(writes ? OpKind::write : OpKind::read, address, size, pc);
  if (!g_races.active() && !g_actions.active()) return;
  // Not more than a race is looked for in.
  const uintptr_t end = address + (size < 4096 ? size : 4096);
  bool visible = g_races.sees_everything();
  for (uintptr_t p = address; p < end; p = (p & ~uintptr_t{7}) + 8) {
    visible |= touch(*g_current, p, writes);
  }
  const OpKind kind = writes ? OpKind::write : OpKind::read;
  if (visible && g_actions.active()) {
    g_actions.operation(kind, address, static_cast<uint32_t>(end - address), pc);
  }
  if (visible && g_races.active())
    g_races.executed(kind, static_cast<uint32_t>(end - address), address, pc);
}

void note_written(const void* begin) {
  if (!several_threads()) return;
  if (g_weak.active()) g_weak.written(reinterpret_cast<uintptr_t>(begin), 1);
  if (g_actions.active()) touch(*g_current, reinterpret_cast<uintptr_t>(begin), true);
}

// As a write of all of it. Arrays are left out: that one thread makes and ends what another works
// on is too common to make every access to it a scheduling point. So is the end when all is over:
// when there is no other thread, and the end of each was waited for.
void note_freed(uintptr_t begin, size_t size, uintptr_t pc) {
  if (g_scheduler.recording()) g_scheduler.note_value_before_free(begin, size);
  const bool all_matter = g_actions.active() && several_threads();
  if (all_matter) g_actions.frees(begin, size);
  if (!several_threads() || !(g_races.active() || g_heap_checked) || !is_instrumented_code(pc)) {
    return;
  }
  constexpr size_t kObject = 256;
  constexpr size_t kLargeObject = 1 << 16;
  if (size <= (all_matter ? kLargeObject : kObject) &&
      (g_scheduler.live_threads() > 1 || !g_races.knows_ended())) {
    for (uintptr_t p = begin; p < begin + size; p += 8) touch(*g_current, p, true);
  }
  if (g_races.active()) g_races.freed(begin, size, pc);
}

void note_emptied(uintptr_t begin, size_t size) {
  constexpr size_t kMost = 1 << 20;
  if (size > kMost) size = kMost;
  for (uintptr_t p = begin; p < begin + size; p += 8) touch(*g_current, p, true);
  g_actions.frees(begin, size);
}

void access_visible(uintptr_t address, uintptr_t pc, OpKind kind, uint32_t size) {
  if (g_current->events < g_current->skip_until) [[unlikely]] {
    // One of very many in a long run.
    g_reads_from.passed_over();
    check_marked(kind, address, size, pc);
    if (g_races.active()) g_races.executed(kind, size, address, pc);
    if (kind == OpKind::write) g_scheduler.changed_memory();
    return;
  }
  g_scheduler.reach_access(kind, size, address, pc);
  check_marked(kind, address, size, pc);
  check_stack(kind, address, size, pc);
  if (kind == OpKind::read) {
    g_scheduler.saw_plainly(pc, address, size, kind, value_at(address, size));
  } else if (kind == OpKind::write) {
    g_current->spin.progress();
    g_scheduler.changes_memory(address, size);
    if (g_weak.active()) [[unlikely]]
      g_weak.written(address, size);
  }
  if (g_compares_memory) [[unlikely]]
    jostle_clean_stack(false, stack_to_clean());
}

}  // namespace jostle::rt
