// SPDX-License-Identifier: Apache-2.0
// Data races: two accesses to the same memory by different threads, at least one of them a write
// and not both atomic, that no synchronisation orders.
//
// The knowledge of what orders what is in race/detector.h; here it learns what happens in a run,
// by the scheduler and the hooks, for the running thread. What becomes of the races it finds is
// known above (oracle/race_reports.h).
//
// In a campaign only accesses to memory that is known to be shared are looked at, so that all
// others cost nothing. Plain accesses that were missed because it was not known yet can only hide a
// race from this run, not make one up. Atomic operations order others, so for them that is not
// enough: when memory turns out to be shared, its owner so far counts as having released everything
// there. A run that is recorded (every finding is confirmed by one) looks at every access, and
// keeps the stack and the locks of each.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/base/memory_order.h"
#include "src/runtime/memory/met_pairs.h"
#include "src/runtime/memory/race_annotations.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/race/detector.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/schedule/channel.h"
#include "src/schedule/operation.h"

namespace jostle::rt {

// Two accesses that nothing orders. Defined above; may not come back.
void race_found(const race::Access& earlier, const race::Access& later);
// While recording: by which number the stack and the locks of the running thread at `pc` are
// remembered. Defined above.
uint32_t context_of_access(const Thread& thread, uintptr_t pc);

// What one of __ATOMIC_… means for the order of accesses.
constexpr race::Order order_of(int order) {
  const int meaning = (acquires(order) ? race::kAcquire : race::kRelaxed) |
                      (releases(order) ? race::kRelease : race::kRelaxed);
  return static_cast<race::Order>(meaning);
}

// Using a synchronisation object conflicts with making, destroying or overwriting it.
inline constexpr uint64_t kObjectUses =
    op_bits({OpKind::mutex_lock, OpKind::mutex_trylock, OpKind::mutex_unlock, OpKind::cond_wait,
             OpKind::cond_signal, OpKind::cond_broadcast, OpKind::rwlock_read, OpKind::rwlock_write,
             OpKind::rwlock_unlock, OpKind::barrier_wait, OpKind::sem_wait, OpKind::sem_post,
             OpKind::spin_lock, OpKind::spin_unlock});
constexpr bool is_use(OpKind kind) { return kObjectUses >> static_cast<int>(kind) & 1; }

class Races {
 public:
  // A new run, in which only `main` exists.
  void begin_run(const channel::Channel& channel, const Thread& main, bool recording);
  void stop() { detector_.stop(); }
  // Races are of no interest in this run any more; weak memory needs the clocks.
  void look_away() {
    if (g_weak.active()) return detector_.look_away();
    detector_.stop();
  }
  bool active() const { return detector_.active(); }
  // Accesses to memory that is not known to be shared are wanted, too.
  bool sees_everything() const { return everything_ && active(); }

  // ---- operations that come through the scheduler: accesses, uses of objects, descriptors
  void executed(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc) {
    constexpr uint64_t kWithOrders =
        op_bits({OpKind::atomic_load, OpKind::atomic_store, OpKind::atomic_rmw});
    if (kWithOrders >> static_cast<int>(kind) & 1) return;  // see `atomic`
    if (object == 0 || !several_threads()) return;
    const Thread& t = *g_current;
    if (t.ignored_accesses || needs_meetings_ || recording_) [[unlikely]]
      return note_operation(kind, size, object, pc);
    if (kind == OpKind::read || kind == OpKind::write) {
      const uint8_t access = kind == OpKind::write ? race::kWrite : race::kRead;
      detector_.access(t.index, object, size, access, pc, 0);
    } else if (is_use(kind)) {
      detector_.access(t.index, object, 1, race::kAtomic, pc, 0);
    } else {
      note_operation(kind, size, object, pc);
    }
  }
  // The end of a wait for the operation.
  void waited(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc);

  // ---- threads
  void created(const Thread& child);
  void finished() {
    if (active()) detector_.finish(g_current->index);
  }
  bool knows_ended() { return detector_.knows_ended(g_current->index); }
  void joined(const Thread& ended) {
    if (active()) detector_.join(g_current->index, ended.index);
  }
  void orders(const Thread& before) {
    if (active()) detector_.order(g_current->index, before.index);
  }

  // Between what is executed before and after: where a library begins and ends a task of the
  // program, and nobody knows what it has ordered. Tasks that overlap are not ordered by this.
  void orders_with_all();

  // ---- synchronisation objects
  void acquire(const volatile void* object) { acquire(reinterpret_cast<uintptr_t>(object)); }
  void release(const volatile void* object) { release(reinterpret_cast<uintptr_t>(object)); }
  void acquire(uintptr_t object) {
    if (active()) detector_.acquire(g_current->index, object);
  }
  void release(uintptr_t object) {
    if (active()) detector_.release(g_current->index, object);
  }
  void lock(uintptr_t object, OpKind kind);
  void unlock(uintptr_t object, OpKind kind);
  // Everybody who takes part has arrived (released it): they leave together.
  void leave_barrier(const Thread& who, const volatile void* barrier);
  void end_barrier_round(const volatile void* barrier);

  // ---- atomics: `order` as __ATOMIC_… has it. `is_point`: others can notice the operation.
  using Atomic = race::Detector::Atomic;
  void atomic(Atomic what, uintptr_t address, uint32_t size, int order, uintptr_t pc,
              bool is_point);
  void fence(int order);
  // The same where g_weak knows what orders what: the access, and what hooks have published there.
  void weak_atomic(Atomic what, uintptr_t address, uint32_t size, int order, uintptr_t pc,
                   bool is_point);
  // The C++ library has published something by atomics of its own, which are not seen: whoever
  // acquires anything from now on may have acquired that.
  void released_unseen() {
    release(kUnseen);
    unseen_ = true;
  }
  // The granule was `owner`'s alone until now.
  void became_shared(uintptr_t address, uint32_t owner) {
    if (active() && !everything_ && !g_weak.active()) detector_.assume_released(owner, address);
  }

  // ---- memory
  void access(uint8_t kind, uint32_t size, uintptr_t address, uintptr_t pc) {
    const Thread& t = *g_current;
    if (t.ignored_accesses) [[unlikely]] {
      if (t.ignored_accesses & (kind & race::kWrite ? kIgnoresWrites : kIgnoresReads)) return;
      if ((t.ignored_accesses & kAtVolatile) && t.volatile_pc == pc) {
        kind |= race::kAtomic | race::kVolatile;
      }
    }
    if (needs_meetings_) [[unlikely]]
      note_meetings(kind, size, address, pc);
    detector_.access(t.index, address, size, kind, pc, recording_ ? context_of_access(t, pc) : 0);
  }
  // Where there are locks that nobody sees (is_order_unseen), two accesses race only if
  // both threads were about to make them at the same time.
  bool may_race(uintptr_t pc, uintptr_t other) const {
    return !needs_meetings_ || meetings_.contains(pc, other);
  }
  // From here on there are such locks.
  void orders_are_unseen() { needs_meetings_ = true; }
  // Do volatile accesses count as relaxed atomic ones (`--volatile=atomic`)?
  bool volatile_is_atomic() const { return volatile_is_atomic_; }
  // Around such an access of the running thread, at `pc`. In between a signal's handler may have
  // others: the end gets what the begin returned.
  uintptr_t begin_volatile(uintptr_t pc);
  void end_volatile(uintptr_t before, Atomic what, uintptr_t address, bool is_point);
  // The access of the running thread that was noted last, at `address`, has faulted: it has not
  // happened (yet). What was noted of it.
  race::Access faulted(uintptr_t address);
  // It is done once more, and now it may happen.
  void repeats(const race::Access& access) {
    if (active() && access.size != 0) {
      detector_.access(g_current->index, access.address, access.size, access.kind, access.pc,
                       access.context);
    }
  }
  void forget(uintptr_t begin, size_t size) {
    if (!active()) return;
    detector_.forget(begin, size);
    if (g_weak.active()) g_weak.forget(begin, size);
  }
  // A block of the heap is given back at `pc`.
  void freed(uintptr_t begin, size_t size, uintptr_t pc);

 private:
  void unusual_atomic(Atomic what, uintptr_t address, uint32_t size, int order, uintptr_t pc,
                      bool is_point);
  void meet_early_threads(const Thread& main);
  void note_meetings(uint8_t kind, uint32_t size, uintptr_t address, uintptr_t pc);
  void note_operation(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc);

  static constexpr uintptr_t kUnseen = uintptr_t{1} << 61;  // no address

  race::Detector detector_;
  bool recording_ = false;
  bool everything_ = false;         // also where memory is not known to be shared
  bool released_by_hooks_ = false;  // a static's guard was: its readers have to ask
  bool unseen_ = false;
  bool volatile_is_atomic_ = false;
  bool needs_meetings_ = false;
  MetPairs meetings_;
};

extern JOSTLE_HIDDEN Races g_races;

}  // namespace jostle::rt
