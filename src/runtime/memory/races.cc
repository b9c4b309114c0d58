// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/races.h"

#include "src/runtime/fiber/donor.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/race/atomic_access.h"

namespace jostle::rt {

JOSTLE_KEPT constinit Races g_races;

namespace {

constexpr uint64_t kOthers =
    op_bits({OpKind::read, OpKind::write, OpKind::io_read, OpKind::io_write});
// When these waits are over the object may be gone already: they were noted when they began.
constexpr uint64_t kNotedBefore = op_bits({OpKind::cond_wait, OpKind::barrier_wait});

constexpr bool is_one_of(OpKind kind, uint64_t bits) { return bits >> static_cast<int>(kind) & 1; }

// What read locks of a read-write lock publish is for writers only: kept apart, one byte on.
constexpr uintptr_t readers_of(uintptr_t lock) { return lock + 1; }

}  // namespace

void Races::begin_run(const channel::Channel& channel, const Thread& main, bool recording) {
  recording_ = recording;
  everything_ = recording || g_sharing_per_run;
  released_by_hooks_ = unseen_ = false;
  needs_meetings_ = is_order_unseen();
  meetings_.begin_run();
  detector_.stop();
  volatile_is_atomic_ = false;
  const bool looks = channel.config.checks & channel::kCheckRace;
  if (!looks && !g_weak.active()) return;
  volatile_is_atomic_ = channel.config.volatile_atomic != 0;
  const auto found = [](void*, const race::Access& earlier, const race::Access& later) {
    race_found(earlier, later);
  };
  detector_.begin_run(main.index, found, nullptr);
  if (!looks) detector_.look_away();
  if (g_weak.active()) g_weak.start(detector_, main.index);
  meet_early_threads(main);
}

// Those that were there before the run began: what they did until then comes before all of it.
void Races::meet_early_threads(const Thread& main) {
  for (const ThreadId id : g_scheduler.threads_of_run()) {
    if (id == kNoThread || id == main.id) continue;
    const Thread& early = *g_scheduler.thread_at(id);
    detector_.create(main.index, early.index);
    if (early.live) continue;
    detector_.finish(early.index);
    detector_.join(main.index, early.index);
  }
}

void Races::note_operation(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc) {
  if (kind == OpKind::read) return access(race::kRead, size, object, pc);
  if (kind == OpKind::write) return access(race::kWrite, size, object, pc);
  if (is_use(kind)) return access(race::kAtomic, 1, object, pc);
  if (kind == OpKind::io_write) release(object);
  if (kind == OpKind::io_read) acquire(object);
}

void Races::waited(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc) {
  if (is_one_of(kind, (kObjectUses | kOthers) & ~kNotedBefore)) executed(kind, size, object, pc);
}

void Races::created(const Thread& child) {
  if (!active()) return;
  detector_.create(g_current->index, child.index);
  // Its stack and its thread-local variables may have been another thread's.
  forget(child.stack_begin, child.stack_end - child.stack_begin);
  for_each_tls_range(child.context.tp,
                     [](uintptr_t begin, size_t size) { g_races.forget(begin, size); });
}

void Races::note_meetings(uint8_t kind, uint32_t size, uintptr_t address, uintptr_t pc) {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread& other = *g_scheduler.thread_at(id);
    if (!other.live || &other == g_current || other.in_lot) continue;
    const Operation& next = other.pending;
    const bool meets = is_memory(next.kind) && next.object < address + size &&
                       address < next.object + next.size &&
                       ((kind & (race::kWrite | race::kFree)) != 0 || !only_reads(next.kind));
    if (meets) meetings_.add(pc, next.pc);
  }
}

void Races::orders_with_all() {
  if (!active()) return;
  const uint32_t self = g_current->index;
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread& other = *g_scheduler.thread_at(id);
    if (!other.live || other.index == self) continue;
    detector_.order(other.index, self);
    detector_.order(self, other.index);
  }
  detector_.join_all_ended(self);
}

void Races::lock(uintptr_t object, OpKind kind) {
  if (!active()) return;
  detector_.acquire(g_current->index, object);
  if (kind == OpKind::rwlock_write) detector_.acquire(g_current->index, readers_of(object));
}

void Races::unlock(uintptr_t object, OpKind kind) {
  if (!active()) return;
  if (kind == OpKind::once) released_by_hooks_ = true;
  detector_.release(g_current->index, kind == OpKind::rwlock_read ? readers_of(object) : object);
}

void Races::leave_barrier(const Thread& who, const volatile void* barrier) {
  if (active()) detector_.acquire(who.index, reinterpret_cast<uintptr_t>(barrier));
}

void Races::end_barrier_round(const volatile void* barrier) {
  if (active()) detector_.forget_releases(reinterpret_cast<uintptr_t>(barrier));
}

void Races::atomic(Atomic what, uintptr_t address, uint32_t size, int order, uintptr_t pc,
                   bool is_point) {
  if (!several_threads()) return;
  const Thread& t = *g_current;
  const bool is_unusual =
      unseen_ || !is_point || t.ignored_accesses || needs_meetings_ || recording_;
  if (is_unusual) [[unlikely]]
    return unusual_atomic(what, address, size, order, pc, is_point);
  detector_.atomic(what, t.index, address, size, order_of(order), pc, 0);
}

__attribute__((noinline)) void Races::unusual_atomic(Atomic what, uintptr_t address, uint32_t size,
                                                     int order, uintptr_t pc, bool is_point) {
  const uint32_t thread = g_current->index;
  const race::Order meaning = order_of(order);
  if (unseen_ && (meaning & race::kAcquire)) detector_.acquire(thread, kUnseen);
  if (!is_point && !everything_) {
    const bool asks = what == Atomic::load && released_by_hooks_ && (meaning & race::kAcquire);
    if (asks) detector_.acquire(thread, address);
    return;
  }
  access(what == Atomic::load ? race::kAtomic : race::kAtomic | race::kWrite, size, address, pc);
  detector_.order_by(what, thread, address, meaning);
}

void Races::weak_atomic(Atomic what, uintptr_t address, uint32_t size, int order, uintptr_t pc,
                        bool is_point) {
  const uint32_t thread = g_current->index;
  if (is_point || everything_) {
    access(what == Atomic::load ? race::kAtomic : race::kAtomic | race::kWrite, size, address, pc);
  }
  if (what == Atomic::store || !(order_of(order) & race::kAcquire)) return;
  if (unseen_) {
    detector_.acquire(thread, kUnseen);
    if (g_actions.active()) g_actions.gap(TrailGap::library, pc);
  }
  detector_.acquire(thread, address);
}

uintptr_t Races::begin_volatile(uintptr_t pc) {
  const uintptr_t before = g_current->volatile_pc;
  g_current->volatile_pc = pc;
  g_current->ignored_accesses |= kAtVolatile;
  return before;
}

// What relaxed operations mean for fences, and for what others have published there.
void Races::end_volatile(uintptr_t before, Atomic what, uintptr_t address, bool is_point) {
  g_current->volatile_pc = before;
  if (before == 0) g_current->ignored_accesses &= ~kAtVolatile;
  if (!active() || !several_threads() || !(is_point || everything_)) return;
  if (what == Atomic::load) {
    detector_.atomic_load(g_current->index, address, race::kRelaxed);
  } else {
    detector_.atomic_store(g_current->index, address, race::kRelaxed);
  }
}

void Races::fence(int order) {
  if (!active() || !several_threads()) return;
  if (g_weak.active()) return g_weak.fence(order);
  detector_.fence(g_current->index, order_of(order));
}

race::Access Races::faulted(uintptr_t address) {
  if (!active() || !several_threads()) return {};
  return detector_.take_back(g_current->index, address);
}

// As a write of all of it. Only where others have been: that is where they may come again.
void Races::freed(uintptr_t begin, size_t size, uintptr_t pc) {
  constexpr size_t kMost = 4096;
  const uintptr_t end = begin + (size < kMost ? size : kMost);
  for (uintptr_t p = begin; p < end; p += 8) {
    if (!everything_ && (sharing_cell(p) & kVisible) != kVisible) continue;
    const auto left = static_cast<uint32_t>(end - p);
    access(race::kWrite | race::kFree, left < 8 ? left : 8, p, pc);
  }
}

}  // namespace jostle::rt
