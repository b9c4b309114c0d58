// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/lock_order.h"

#include "src/base/hash.h"
#include "src/base/kept.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/permits.h"
#include "src/runtime/scheduler/backtrace.h"

namespace jostle::rt {
namespace {

JOSTLE_KEPT bool g_watched_order = false;
JOSTLE_KEPT uint64_t g_run = 0;

// Pairs that this run has had already, by the low bits of their hash: most acquisitions end here.
constexpr uint64_t kRecent = 1 << 10;
JOSTLE_KEPT uint64_t g_recent[kRecent];

bool is_lock(OpKind kind) {
  return kind == OpKind::mutex_lock || kind == OpKind::rwlock_read ||
         kind == OpKind::rwlock_write || kind == OpKind::spin_lock;
}

const Thread* owner_of_stack(uintptr_t address) {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* t = g_scheduler.thread_at(id);
    if (t && t->live && address >= t->stack_begin && address < t->stack_end) return t;
  }
  return nullptr;
}

// A lock that is a variable of a function: of which call.
struct Call {
  uintptr_t pc = 0;  // 0: it is none, or not known
  uintptr_t begin = 0, end = 0;
};

Call call_around(uintptr_t address) {
  const Thread* owner = owner_of_stack(address);
  if (!owner) return {};
  channel::Stack stack{};
  if (owner == g_current) {
    capture_own_stack(stack, 0);
  } else {
    capture_stack_of(*owner, stack);  // what of it is known may be enough
  }
  for (uint32_t i = 0; i < stack.depth; ++i) {
    if (stack.frame[i] <= address) continue;  // 0: not known
    const bool is_adjacent = i != 0 && (stack.not_adjacent >> i & 1) == 0;
    return {stack.pc[i], is_adjacent ? stack.frame[i - 1] : 0, stack.frame[i]};
  }
  return {};
}

// Variables of different functions may lie in the same place, one after the other.
uint64_t name_of_lock(uintptr_t address, const Call& call) {
  uint64_t name = location_name(address);
  if (call.pc != 0) name = combine(name, code_location(function_description(call.pc - 1)));
  // Who ran before one thread had joined all others waits for nobody who ran after it.
  return g_sharing_epoch == 0 ? name : combine(name, g_sharing_epoch);
}

LockEdge::Lock describe(const HeldLocks::Entry& entry) {
  LockEdge::Lock lock{};
  const Call call = call_around(entry.object);
  lock.name = name_of_lock(entry.object, call);
  lock.site = code_location(entry.pc);
  lock.reads = entry.kind == OpKind::rwlock_read;
  static_assert(LockEdge::Lock::kMostCallers == HeldLocks::Entry::kMostCallers);
  for (uint32_t i = 0; i < LockEdge::Lock::kMostCallers; ++i) {
    lock.callers[i] = entry.callers[i] ? code_location(entry.callers[i]) : 0;
  }
  if (in_heap(entry.object)) {
    const HeapBlock named = heap_block_of(entry.object);
    lock.is_numbered = named.ordinal != 0;
    channel::ObjectRecord block{};
    if (describe_heap_address(entry.object, block)) {
      lock.place = code_location(named.pc);
      lock.offset = block.offset;
      lock.size = block.size;
    }
  } else if (call.pc != 0) {
    lock.memory = LockEdge::Lock::kStack;
    lock.place = code_location(call.pc);
    lock.offset = call.end - entry.object;
    lock.size = call.begin == 0 ? 0 : call.end - call.begin;
  } else {
    lock.place = code_location(entry.object);
    lock.memory = lock.place != 0 ? LockEdge::Lock::kGlobal : LockEdge::Lock::kHeap;
  }
  return lock;
}

void add_edge(const HeldLocks& held, uint32_t from) {
  const uint32_t last = held.count() - 1;
  const LockEdge::Lock holds = describe(held[from]);
  const LockEdge::Lock wants = describe(held[last]);
  const uint64_t thread = thread_path(g_current->index);
  uint64_t gates[LockEdge::kMostGates];
  uint32_t gate_count = 0;
  for (uint32_t i = 0; i < last && gate_count < LockEdge::kMostGates; ++i) {
    // Readers do not keep each other out.
    if (i == from || !is_lock(held[i].kind) || held[i].kind == OpKind::rwlock_read) continue;
    const uint64_t name = name_of_lock(held[i].object, call_around(held[i].object));
    gates[gate_count++] = LockEdge::gate(name, 1);
  }
  for (const Permit& permit : permits()) {
    if (permit.thread != g_current->index || permit.room > LockEdge::kMostRoom) continue;
    if (gate_count == LockEdge::kMostGates) break;
    const uint64_t name = name_of_lock(permit.semaphore, call_around(permit.semaphore));
    gates[gate_count++] = LockEdge::gate(name, permit.room);
  }
  const uint64_t key = LockEdge::key(holds, wants, thread, gates, gate_count);
  if (!g_hub->lock_edges_known.insert(key)) return;
  const uint32_t index = g_hub->lock_edges_claimed.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMostLockEdges) return;
  LockEdge& edge = g_hub->lock_edges[index];
  edge.held = holds;
  edge.wanted = wants;
  edge.thread = thread;
  const channel::Channel& channel = g_scheduler.channel();
  edge.schedule_number = channel.status.schedules.load() + 1;
  edge.run = combine(channel.config.worker, edge.schedule_number) | 1;
  edge.gate_count = gate_count;
  for (uint32_t i = 0; i < gate_count; ++i) edge.gates[i] = gates[i];
  edge.ready.store(1, std::memory_order_release);
}

}  // namespace

void begin_lock_order(const channel::Channel& channel) {
  g_watched_order = g_hub && channel.config.mode == channel::Mode::fuzz &&
                    (channel.config.checks & channel::kCheckLockOrder) != 0;
  ++g_run;
  forget_permits();
}

void note_nested_lock() {
  if (!g_watched_order || g_scheduler.live_threads() == 1) return;
  const Thread& t = *g_current;
  const uint32_t last = t.held.count() - 1;
  uint32_t held = last;
  for (const Permit& permit : permits()) held += permit.thread == t.index ? 1 : 0;
  const HeldLocks::Entry& wants = t.held[last];
  if (t.pending.kind == OpKind::mutex_trylock || !is_lock(wants.kind)) return;
  for (uint32_t i = 0; i < last; ++i) {
    const HeldLocks::Entry& holds = t.held[i];
    if (holds.object == wants.object || !is_lock(holds.kind)) continue;
    uint64_t pair = combine(combine(g_run << 20 ^ t.index, holds.object), wants.object);
    pair = combine(combine(combine(pair, holds.pc), wants.pc), held) | 1;
    uint64_t& recent = g_recent[pair >> 20 & (kRecent - 1)];
    if (recent == pair) continue;
    recent = pair;
    add_edge(t.held, i);
  }
}

}  // namespace jostle::rt
