// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/semaphore.h"

#include <cerrno>
#include <climits>

#include "src/base/check.h"

namespace jostle::sync {
namespace {

constexpr uint32_t kDestroyed = 0xDEAD5E3A;  // unlikely in memory that was never a semaphore

}  // namespace

bool is_destroyed(const Semaphore& semaphore) { return semaphore.mark == kDestroyed; }
void destroy(Semaphore& semaphore) { semaphore.mark = kDestroyed; }
void initialise(Semaphore& semaphore) { semaphore.mark = 0; }

bool can_take(const Semaphore& semaphore) { return semaphore.value != 0; }

int try_take(Semaphore& semaphore) {
  if (semaphore.value == 0) return EAGAIN;
  --semaphore.value;
  return 0;
}

int post(Semaphore& semaphore) {
  if (semaphore.value >= SEM_VALUE_MAX) return EOVERFLOW;
  ++semaphore.value;
  JOSTLE_CHECK(can_take(semaphore));
  return 0;
}

}  // namespace jostle::sync
