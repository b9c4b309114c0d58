// SPDX-License-Identifier: Apache-2.0
// What a recorded run did, event by event, and in which module.
#pragma once

#include <cstdint>

#include "src/schedule/operation.h"

namespace jostle::channel {

// Of a module whose atomics are not seen (runtime/modules/atomic_sites.h).
enum class UnseenAtomics : uint32_t {
  none,   // it has none
  count,  // it has some, and they may have ordered threads
  wait,   // none has run so far
};

struct ModuleRecord {
  char path[512];
  uintptr_t bias;         // load address minus the ELF file's own addresses
  uintptr_t begin, end;   // all its segments
  uint64_t name_hash;     // upper 16 bits of its CodeLocations, shifted down
  uint32_t instrumented;  // refers to __tsan_ hooks
  UnseenAtomics atomics;
  uint32_t system;  // libc, the C++ runtime, libjostle: callbacks from there are no events
};

inline constexpr uint32_t kMaxModules = 256;

struct TraceEvent {  // only in record mode
  uint32_t thread;
  OpKind kind;
  uint8_t visible;      // was a scheduling point
  uint8_t value_known;  // 1: `value` is what was read or written
  uint8_t spurious;     // 1: a wait that ended without a signal, a compare-exchange that failed so
  uint32_t size;
  // 1: a compare-exchange that wrote nothing (its kind is atomic_load); who tried to lock or to
  // take and did not get it, because it was taken, the time was up or a signal came.
  uint8_t failed;
  uint8_t own_stack;  // 1: on the stack of the thread itself
  // With weak memory: 1 + __ATOMIC_…, 0 for what has none; 1: not the newest store was read.
  uint8_t order, stale;
  // The thread's own event number. One that a signal's handler delayed has the number by which it
  // was executed, behind the handler's events, and comes before these in the trace: kNotExecuted as
  // long as the handler runs, and when it never returns.
  uint64_t event;
  uintptr_t object;
  uintptr_t pc;
  uint64_t value;  // of accesses of at most eight bytes, zero-extended
};

inline constexpr uint64_t kNotExecuted = UINT64_MAX;
inline constexpr uint32_t kMaxTraceEvents = 1 << 23;

inline bool is_failed_exchange(const TraceEvent& event) {
  return event.failed != 0 && event.kind == OpKind::atomic_load;
}
inline bool is_in_vain(const TraceEvent& event) {
  return event.failed != 0 && is_attempt(event.kind);
}

}  // namespace jostle::channel
