// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/barrier.h"

#include "src/base/check.h"

namespace jostle::sync {

// pthread_barrier_init refuses a size of 0.
bool is_destroyed(const Barrier& barrier) { return barrier.size == 0; }
void destroy(Barrier& barrier) { barrier.size = 0; }

uint32_t waiting(const Barrier& barrier) { return barrier.arrivals - barrier.round_end; }

bool arrive(Barrier& barrier) {
  JOSTLE_CHECK(!is_destroyed(barrier));
  ++barrier.arrivals;
  if (waiting(barrier) < barrier.size) return false;
  barrier.round_end = barrier.arrivals;
  JOSTLE_CHECK_EQ(waiting(barrier), 0);
  return true;
}

}  // namespace jostle::sync
