// SPDX-License-Identifier: Apache-2.0
// A condition variable: pthread_cond_t and cnd_t. It has no state of its own beyond its attributes:
// who waits is known to the scheduler.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

namespace jostle::sync {

struct Condition {
  uint32_t glibc_counters[9];
  uint32_t flags;  // glibc's __wrefs: bit 0 shared, bit 1 CLOCK_MONOTONIC, bit 2 destroyed
  uint32_t glibc_signals[2];
};
static_assert(sizeof(Condition) == sizeof(pthread_cond_t));
static_assert(offsetof(Condition, flags) == offsetof(pthread_cond_t, __data.__wrefs));

inline Condition& state_of(pthread_cond_t* condition) {
  return *reinterpret_cast<Condition*>(condition);
}

// The clock of its timed waits.
inline clockid_t clock_of(const Condition& condition) {
  return condition.flags & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}
inline bool is_shared(const Condition& condition) { return condition.flags & 1; }
// Of one that is shared: how often it was signalled while there were several processes.
inline uint32_t& signals(Condition& condition) { return condition.glibc_counters[0]; }
inline bool is_destroyed(const Condition& condition) { return condition.flags & 4; }
inline void destroy(Condition& condition) { condition.flags |= 4; }

}  // namespace jostle::sync
