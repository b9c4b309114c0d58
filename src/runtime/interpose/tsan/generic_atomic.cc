// SPDX-License-Identifier: Apache-2.0
// Atomic objects of other sizes than 1, 2, 4, 8 and 16 bytes: compilers call libatomic, which takes
// a lock of its own, or none where the object fits into 16 bytes. Under control only one thread
// runs, so that copying is atomic.
#include <cstddef>
#include <cstdint>

#include "src/base/memory_order.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/weak_atomics.h"

using namespace jostle;
using namespace jostle::rt;

// The names are the compiler's, which lets nobody declare them.
#define GENERIC_HOOK(result, name, parameters)                         \
  JOSTLE_HOOK result generic_##name parameters asm("__atomic_" #name); \
  JOSTLE_HOOK result generic_##name parameters

#define GENERIC_REAL(name)                                                                  \
  (*[] {                                                                                    \
    static decltype(&generic_##name) next JOSTLE_KEPT;                                      \
    if (!next) next = reinterpret_cast<decltype(next)>(next_definition("__atomic_" #name)); \
    return next;                                                                            \
  }())

namespace {

uint64_t beginning(const void* bytes, size_t size) {
  uint64_t value = 0;
  __builtin_memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
  return value;
}

// One operation: its scheduling point, and what it means for others.
class Generic {
 public:
  Generic(OpKind kind, size_t size, const void* object, int order, uintptr_t pc)
      : operation_{kind, static_cast<uint32_t>(size), reinterpret_cast<uintptr_t>(object), pc},
        order_(order) {
    const uint32_t bytes = operation_.size;
    is_point_ = kind == OpKind::atomic_load ? access<false>(kind, operation_.object, bytes, pc)
                                            : access<true>(kind, operation_.object, bytes, pc);
  }

  void executed(bool has_written, int order) {
    const void* object = reinterpret_cast<const void*>(operation_.object);
    const uint64_t value = beginning(object, operation_.size);
    if (g_scheduler.recording()) {
      g_scheduler.note_atomic(operation_.object, value, has_written, order & 0xFF, false);
    }
    if (is_point_) noticed(has_written, value);
    const bool is_modified = operation_.kind == OpKind::atomic_rmw && has_written;
    const Races::Atomic what = is_modified   ? Races::Atomic::modify
                               : has_written ? Races::Atomic::store
                                             : Races::Atomic::load;
    if (is_point_ && !is_sequential(order)) g_scheduler.record().weak_orders = 1;
    if (g_weak.active() && several_threads()) {
      const OpKind kind = is_modified   ? OpKind::atomic_rmw
                          : has_written ? OpKind::atomic_store
                                        : OpKind::atomic_load;
      g_weak.wide(kind,
                  {operation_.object, operation_.size, order, operation_.pc, value, is_point_});
    } else if (g_races.active()) {
      g_races.atomic(what, operation_.object, operation_.size, order, operation_.pc, is_point_);
    }
  }
  void executed(bool has_written) { executed(has_written, order_); }

 private:
  // Who reads the same again and again may be waiting for another value.
  void noticed(bool has_written, uint64_t value) {
    if (!has_written) return g_scheduler.saw(operation_, value);
    g_current->spin.progress();
    g_scheduler.changed_memory();
    if (operation_.kind == OpKind::atomic_rmw && g_reads_from.active()) {
      g_reads_from.wrote(g_current->index, operation_.size, operation_.object, operation_.pc);
    }
  }

  Operation operation_;
  int order_;
  bool is_point_;
};

}  // namespace

GENERIC_HOOK(void, load, (size_t size, const void* from, void* to, int order)) {
  if (!controlled()) return GENERIC_REAL(load)(size, from, to, order);
  Generic operation(OpKind::atomic_load, size, from, order, CALLER());
  __builtin_memcpy(to, from, size);
  operation.executed(false);
}

GENERIC_HOOK(void, store, (size_t size, void* to, const void* from, int order)) {
  if (!controlled()) return GENERIC_REAL(store)(size, to, from, order);
  Generic operation(OpKind::atomic_store, size, to, order, CALLER());
  __builtin_memcpy(to, from, size);
  operation.executed(true);
}

GENERIC_HOOK(void, exchange,
             (size_t size, void* object, const void* from, void* before, int order)) {
  if (!controlled()) return GENERIC_REAL(exchange)(size, object, from, before, order);
  Generic operation(OpKind::atomic_rmw, size, object, order, CALLER());
  // All three may be the same memory but for the object.
  auto* bytes = static_cast<unsigned char*>(object);
  for (size_t i = 0; i < size; ++i) {
    const unsigned char wanted = static_cast<const unsigned char*>(from)[i];
    static_cast<unsigned char*>(before)[i] = bytes[i];
    bytes[i] = wanted;
  }
  operation.executed(true);
}

GENERIC_HOOK(bool, compare_exchange,
             (size_t size, void* object, void* expected, const void* desired, int success,
              int failure)) {
  if (!controlled()) {
    return GENERIC_REAL(compare_exchange)(size, object, expected, desired, success, failure);
  }
  Generic operation(OpKind::atomic_rmw, size, object, success, CALLER());
  const bool is_equal = __builtin_memcmp(object, expected, size) == 0;
  if (is_equal) {
    __builtin_memcpy(object, desired, size);
  } else {
    __builtin_memcpy(expected, object, size);
  }
  operation.executed(is_equal, is_equal ? success : failure);
  return is_equal;
}
