// SPDX-License-Identifier: Apache-2.0
// The compiler's thread-sanitizer hooks for atomic operations: each is one scheduling point (when
// the location is shared) and then the operation itself. All memory orders execute sequentially
// consistent, but for runs with weak memory (memory/weak_atomics.h), in which a load may read an
// older store.
//
// An operation that leaves the old value in place (a failed compare-exchange, a test-and-set of a
// taken lock) counts as a read: that is how spinning on it is recognised.
#include "src/base/memory_order.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/tsan/library_atomics.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/private_memory.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/scheduler/fairness/recent_reads.h"
#include "src/runtime/scheduler/waits/spurious.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

#define JOSTLE_INLINE inline __attribute__((always_inline))
// Not in the hooks, which would save more registers for it.
#define JOSTLE_APART __attribute__((noinline, cold))

// The machine's own atomics, for programs that run uncontrolled on real threads; under control only
// one thread runs and any sequence is atomic.
template <typename T>
struct Machine {
  static T load(const volatile T* p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
  static T exchange(volatile T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }
  static bool compare_exchange(volatile T* p, T* expected, T desired) {
    return __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
};

// 16 bytes: the compiler would call libatomic. All instrumented accesses come here, so one lock
// makes them atomic among each other.
template <>
struct Machine<unsigned __int128> {
  using T = unsigned __int128;
  struct Lock {
    Lock() {
      while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE)) {
      }
    }
    ~Lock() { __atomic_clear(&taken, __ATOMIC_RELEASE); }
    static inline bool taken = false;
  };
  static T load(const volatile T* p) {
    Lock lock;
    return *p;
  }
  static T exchange(volatile T* p, T v) {
    Lock lock;
    const T before = *p;
    *p = v;
    return before;
  }
  static bool compare_exchange(volatile T* p, T* expected, T desired) {
    Lock lock;
    const T before = *p;
    if (before != *expected) {
      *expected = before;
      return false;
    }
    *p = desired;
    return true;
  }
};

// The operation is one of a thread under control, and nobody else could come in between.
JOSTLE_INLINE bool is_undisturbed(bool point) { return point && g_memory_is_private; }

template <typename T>
uint64_t low_bits(T value) {
  return static_cast<uint64_t>(value);
}

template <typename T>
Operation operation_on(OpKind kind, const volatile T* p, uintptr_t pc) {
  return {kind, sizeof(T), reinterpret_cast<uintptr_t>(p), pc};
}

// Reports what the operation did, for the detection of spinning.
template <typename T>
JOSTLE_INLINE void executed(OpKind kind, const volatile T* p, uintptr_t pc, T before, T after) {
  if (before == after) {
    g_scheduler.saw(operation_on(kind, p, pc), low_bits(after));
  } else {
    if (g_recent_reads.wanted() && kind == OpKind::atomic_rmw) [[unlikely]] {
      g_recent_reads.add(g_current->index, operation_on(kind, p, pc), low_bits(before));
    }
    g_current->spin.progress();
    g_scheduler.changed_memory();
    // Only now it is certain that a read-modify-write has written.
    if (kind == OpKind::atomic_rmw && g_reads_from.active()) {
      g_reads_from.wrote(g_current->index, sizeof(T), reinterpret_cast<uintptr_t>(p), pc);
    }
  }
}

// For reports: what was there, and has the operation changed it?
JOSTLE_APART void note_recorded(uintptr_t object, uint64_t value, bool wrote, int order,
                                bool stale) {
  if (controlled()) g_scheduler.note_atomic(object, value, wrote, order & 0xFF, stale);
}
template <typename T>
JOSTLE_INLINE void note(const volatile T* p, T value, bool wrote, int order, bool stale = false) {
  if (g_scheduler.recording()) [[unlikely]]
    note_recorded(reinterpret_cast<uintptr_t>(p), low_bits(value), wrote, order, stale);
}

// What it means for others by its memory order.
template <typename T>
JOSTLE_INLINE void ordered(Races::Atomic what, const volatile T* p, int order, uintptr_t pc,
                           bool point) {
  if (!point && !controlled()) return;
  if (point && !is_sequential(order)) g_scheduler.record().weak_orders = 1;
  if (!g_races.active()) return;
  g_races.atomic(what, reinterpret_cast<uintptr_t>(p), sizeof(T), order, pc, point);
}

// ---- with weak memory -------------------------------------------------------------------------

JOSTLE_INLINE bool is_weak() { return g_weak.active() && several_threads() && controlled(); }

// A fence that is tried before an operation which the program has without one. In between others
// may do something, as they could if it were written there.
JOSTLE_APART void tried_fence(OpKind kind, uintptr_t pc, int order, int failure) {
  if (!several_threads() || !controlled()) return;
  const int fence = g_weak.order_changes().at(kind, pc, order, failure).fence_before;
  if (!fence) return;
  if (is_sequential(fence)) g_scheduler.reach({OpKind::fence, 0, 0, pc});
  g_weak.fence(fence);
}
JOSTLE_INLINE void before_operation(OpKind kind, uintptr_t pc, int order,
                                    int failure = channel::kNoOrder) {
  if (g_weak.active() && g_weak.order_changes().fences_are_steps()) [[unlikely]] {
    tried_fence(kind, pc, order, failure);
  }
}

// `failure`: of a compare-exchange, and may become another one.
template <typename T>
AtomicAccess weak_access(OpKind kind, const volatile T* p, int order, uintptr_t pc, T now,
                         bool point, int* failure = nullptr) {
  if (g_weak.order_changes().wanted()) [[unlikely]] {
    const OrderChanges::Orders orders =
        g_weak.order_changes().at(kind, pc, order, failure ? *failure : channel::kNoOrder);
    const bool is_done = g_weak.order_changes().fences_are_steps();
    if (orders.fence_before && !is_done) g_weak.fence_before(pc, orders.fence_before);
    order = orders.success;
    if (failure) *failure = orders.failure;
  }
  return {reinterpret_cast<uintptr_t>(p), sizeof(T), order, pc, low_bits(now), point};
}

// What it did to memory that has a history, of which real memory need not have changed.
template <typename T>
void executed_weakly(OpKind kind, const volatile T* p, uintptr_t pc, T before, T after,
                     bool unusual) {
  if (g_actions.explores_stores()) {
    // A store is one of its own even if it is of what was there.
    if (kind == OpKind::atomic_store) return g_scheduler.changed_memory();
    return executed(kind, p, pc, before, after);
  }
  if (!unusual) return executed(kind, p, pc, before, after);
  g_current->spin.progress();  // it can go on: the next time it may read something else
  if (kind != OpKind::atomic_load) g_scheduler.changed_memory();
}

template <typename T>
JOSTLE_APART T weak_load(const volatile T* p, int order, uintptr_t pc, bool point) {
  T value = Machine<T>::load(p);
  const AtomicAccess access = weak_access(OpKind::atomic_load, p, order, pc, value, point);
  if constexpr (sizeof(T) <= 8) {
    value = static_cast<T>(g_weak.load(access));
  } else {
    g_weak.wide(OpKind::atomic_load, access);
  }
  note(p, value, false, order, g_weak.was_stale());
  if (point) executed_weakly(OpKind::atomic_load, p, pc, value, value, g_weak.was_stale());
  return value;
}

template <typename T>
JOSTLE_APART void weak_store(volatile T* p, T value, int order, uintptr_t pc, bool point) {
  const T before = Machine<T>::load(p);
  const AtomicAccess access = weak_access(OpKind::atomic_store, p, order, pc, before, point);
  bool is_newest = true;
  if constexpr (sizeof(T) <= 8) {
    is_newest = g_weak.store(access, low_bits(value));
  } else {
    g_weak.wide(OpKind::atomic_store, access);
  }
  if (is_newest) Machine<T>::exchange(p, value);
  note(p, value, true, order);
  if (point) executed_weakly(OpKind::atomic_store, p, pc, before, value, !is_newest);
}

template <typename T, typename Update>
JOSTLE_APART T weak_modify(volatile T* p, int order, uintptr_t pc, bool point, Update update) {
  T before = Machine<T>::load(p);
  const AtomicAccess access = weak_access(OpKind::atomic_rmw, p, order, pc, before, point);
  if constexpr (sizeof(T) <= 8) {
    before = static_cast<T>(g_weak.begin_update(access));
  } else {
    g_weak.wide(OpKind::atomic_rmw, access);
  }
  const T after = update(before);
  bool is_newest = true;
  if constexpr (sizeof(T) <= 8) is_newest = g_weak.end_update(access, low_bits(after));
  if (is_newest) Machine<T>::exchange(p, after);
  note(p, after, true, order, g_weak.was_stale());
  if (point) executed_weakly(OpKind::atomic_rmw, p, pc, before, after, !is_newest);
  return before;
}

template <typename T>
JOSTLE_APART bool weak_compare_exchange(volatile T* p, T* expected, T desired, int success,
                                        int failure, uintptr_t pc, bool point, bool is_weak) {
  T before = Machine<T>::load(p);
  int fails = failure;
  const AtomicAccess access =
      weak_access(OpKind::atomic_rmw, p, success, pc, before, point, &fails);
  if constexpr (sizeof(T) <= 8) {
    before = static_cast<T>(g_weak.begin_compare(access, low_bits(*expected), fails, is_weak));
  } else {
    g_weak.wide(before == *expected ? OpKind::atomic_rmw : OpKind::atomic_load, access);
  }
  const bool done = before == *expected && !(sizeof(T) <= 8 && g_weak.compare_failed());
  bool is_newest = true;
  if (done) {
    if constexpr (sizeof(T) <= 8) is_newest = g_weak.end_update(access, low_bits(desired));
    if (is_newest) Machine<T>::exchange(p, desired);
  } else {
    *expected = before;
  }
  note(p, done ? desired : before, done, done ? success : failure, g_weak.was_stale());
  if (point) {
    const bool unusual = g_weak.was_stale() || !is_newest;
    executed_weakly(OpKind::atomic_rmw, p, pc, before, done ? desired : before, unusual);
  }
  if (!done && g_actions.active()) g_actions.expects(expected);
  return done;
}

// ---- the operations ---------------------------------------------------------------------------

template <typename T>
T load(const volatile T* p, int order, uintptr_t pc) {
  before_operation(OpKind::atomic_load, pc, order);
  const bool point =
      access<false>(OpKind::atomic_load, reinterpret_cast<uintptr_t>(p), sizeof(T), pc);
  if (is_weak()) [[unlikely]]
    return weak_load(p, order, pc, point);
  const T value = Machine<T>::load(p);
  note(p, value, false, order);
  if (point) executed(OpKind::atomic_load, p, pc, value, value);
  ordered(Races::Atomic::load, p, order, pc, point);
  return value;
}

template <typename T>
void store(volatile T* p, T value, int order, uintptr_t pc) {
  before_operation(OpKind::atomic_store, pc, order);
  const bool point =
      access<true>(OpKind::atomic_store, reinterpret_cast<uintptr_t>(p), sizeof(T), pc);
  if (is_weak()) [[unlikely]]
    return weak_store(p, value, order, pc, point);
  T before;
  if (is_undisturbed(point)) [[likely]] {
    before = *p;
    *p = value;
  } else {
    before = Machine<T>::exchange(p, value);
  }
  note(p, value, true, order);
  if (point) executed(OpKind::atomic_store, p, pc, before, value);
  ordered(Races::Atomic::store, p, order, pc, point);
}

// `update` computes the new value from the old; returns the old one.
template <typename T, typename Update>
T modify(volatile T* p, int order, uintptr_t pc, Update update) {
  before_operation(OpKind::atomic_rmw, pc, order);
  const bool point =
      access<true>(OpKind::atomic_rmw, reinterpret_cast<uintptr_t>(p), sizeof(T), pc);
  if (is_weak()) [[unlikely]]
    return weak_modify(p, order, pc, point, update);
  T before, after;
  if (is_undisturbed(point)) [[likely]] {
    before = *p;
    *p = after = update(before);
  } else {
    before = Machine<T>::load(p);
    after = update(before);
    while (!Machine<T>::compare_exchange(p, &before, after)) after = update(before);
  }
  note(p, after, true, order);
  if (point) executed(OpKind::atomic_rmw, p, pc, before, after);
  ordered(Races::Atomic::modify, p, order, pc, point);
  return before;
}

// As C++ allows it to one that is weak.
template <typename T>
bool fails_without_reason(const volatile T* p, T expected) {
  if (!several_threads() || !controlled()) return false;
  return Machine<T>::load(p) == expected && g_spurious.fails();
}

template <typename T>
bool compare_exchange(volatile T* p, T* expected, T desired, int success, int failure, uintptr_t pc,
                      bool may_fail) {
  before_operation(OpKind::atomic_rmw, pc, success, failure);
  const bool point =
      access<true>(OpKind::atomic_rmw, reinterpret_cast<uintptr_t>(p), sizeof(T), pc);
  if (is_weak()) [[unlikely]]
    return weak_compare_exchange(p, expected, desired, success, failure, pc, point, may_fail);
  const T before = *expected;
  const bool fails = may_fail && fails_without_reason(p, before);
  bool done = false;
  if (is_undisturbed(point)) [[likely]] {
    const T there = *p;
    done = !fails && there == before;
    if (done) *p = desired;
    if (!done && !fails) *expected = there;
  } else {
    done = !fails && Machine<T>::compare_exchange(p, expected, desired);
  }
  if (point && g_actions.active()) {
    g_actions.compared(reinterpret_cast<uintptr_t>(p), low_bits(before), done, fails);
  }
  note(p, done ? desired : *expected, done, done ? success : failure);
  if (point) {
    if (done) {
      executed(OpKind::atomic_rmw, p, pc, before, desired);
    } else {
      executed(OpKind::atomic_rmw, p, pc, *expected, *expected);
    }
  }
  if (!done && g_actions.active()) g_actions.expects(expected);
  // One that fails is a load.
  const Races::Atomic what = done ? Races::Atomic::modify : Races::Atomic::load;
  ordered(what, p, done ? success : failure, pc, point);
  return done;
}

}  // namespace

namespace jostle::rt {

uint64_t library_update(volatile uint64_t* p, LibraryUpdate update, uint64_t argument, int order,
                        uintptr_t pc) {
  return modify(p, order, pc, [=](uint64_t before) { return update(before, argument); });
}

uint32_t library_update(volatile uint32_t* p, uint32_t (*update)(uint32_t before), int order,
                        uintptr_t pc) {
  return modify(p, order, pc, update);
}

// What is noted has the value that the library will make.
void library_will_add(volatile uint32_t* counter, int change, int order, uintptr_t pc) {
  const uint32_t added = static_cast<uint32_t>(change);
  modify(counter, order, pc, [added](uint32_t old) { return old + added; });
  *counter = *counter - added;
}

}  // namespace jostle::rt

#define ATOMIC_FETCH(bits, T, name, expression)                                           \
  JOSTLE_HOOK T __tsan_atomic##bits##_fetch_##name(volatile T* p, T v, int order) {       \
    return modify(p, order, CALLER(), [v](T old) { return static_cast<T>(expression); }); \
  }
#define ATOMIC_COMPARE(bits, T, name, may_fail)                                          \
  JOSTLE_HOOK int __tsan_atomic##bits##_compare_exchange_##name(                         \
      volatile T* p, T* expected, T desired, int success, int failure) {                 \
    return compare_exchange(p, expected, desired, success, failure, CALLER(), may_fail); \
  }

#define ATOMIC_HOOKS(bits, T)                                                                    \
  JOSTLE_HOOK T __tsan_atomic##bits##_load(const volatile T* p, int order) {                     \
    return load(p, order, CALLER());                                                             \
  }                                                                                              \
  JOSTLE_HOOK void __tsan_atomic##bits##_store(volatile T* p, T v, int order) {                  \
    store(p, v, order, CALLER());                                                                \
  }                                                                                              \
  JOSTLE_HOOK T __tsan_atomic##bits##_exchange(volatile T* p, T v, int order) {                  \
    return modify(p, order, CALLER(), [v](T) { return v; });                                     \
  }                                                                                              \
  ATOMIC_FETCH(bits, T, add, old + v)                                                            \
  ATOMIC_FETCH(bits, T, sub, old - v)                                                            \
  ATOMIC_FETCH(bits, T, and, old& v)                                                             \
  ATOMIC_FETCH(bits, T, or, old | v)                                                             \
  ATOMIC_FETCH(bits, T, xor, old ^ v)                                                            \
  ATOMIC_FETCH(bits, T, nand, ~(old & v))                                                        \
  ATOMIC_COMPARE(bits, T, strong, false)                                                         \
  ATOMIC_COMPARE(bits, T, weak, true)                                                            \
  JOSTLE_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T desired, \
                                                           int success, int failure) {           \
    compare_exchange(p, &expected, desired, success, failure, CALLER(), false);                  \
    return expected;                                                                             \
  }

ATOMIC_HOOKS(8, uint8_t)
ATOMIC_HOOKS(16, uint16_t)
ATOMIC_HOOKS(32, uint32_t)
ATOMIC_HOOKS(64, uint64_t)
ATOMIC_HOOKS(128, unsigned __int128)

JOSTLE_HOOK void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!controlled()) return;
  if (g_weak.active() && g_weak.order_changes().wanted() && several_threads()) {
    order = g_weak.order_changes().at(OpKind::fence, CALLER(), order).success;
  }
  // With weak memory it matters when others execute theirs, which is an order of its own.
  if (is_sequential(order) && several_threads() && g_scheduler.fences_are_points()) {
    g_scheduler.reach({OpKind::fence, 0, 0, CALLER()});
  }
  g_races.fence(order);
}
JOSTLE_HOOK void __tsan_atomic_signal_fence(int) {}
