// SPDX-License-Identifier: Apache-2.0
// A barrier: pthread_barrier_t.
//
// Two counters that only grow (and wrap around): all arrivals, and the arrivals up to the end of
// the last complete round. Their difference are the threads that wait now.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace jostle::sync {

struct Barrier {  // struct pthread_barrier of glibc's nptl/pthreadP.h, which no header shows
  uint32_t arrivals;
  uint32_t round_end;
  uint32_t size;
  uint32_t shared;
  uint32_t glibc_departures;
};
static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));

inline Barrier& state_of(pthread_barrier_t* barrier) {
  return *reinterpret_cast<Barrier*>(barrier);
}

bool is_destroyed(const Barrier& barrier);
void destroy(Barrier& barrier);

// Threads that have arrived and wait.
inline bool is_shared(const Barrier& barrier) { return barrier.shared != 0; }
// Is the round over in which `arrival` was the number of arrivals?
inline bool is_over(const Barrier& barrier, uint32_t arrival) {
  return static_cast<int32_t>(barrier.round_end - arrival) >= 0;
}

uint32_t waiting(const Barrier& barrier);
// One more has arrived. True: it was the last one, the round is complete and all others may go.
bool arrive(Barrier& barrier);

}  // namespace jostle::sync
