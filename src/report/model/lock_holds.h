// SPDX-License-Identifier: Apache-2.0
// Who held which lock from when to when, as far as the events tell.
#pragma once

#include <cstdint>
#include <vector>

#include "src/report/model/execution_order.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

struct LockHold {
  uint32_t thread = 0;
  uintptr_t object = 0;
  uint32_t acquired = 0;           // index into the order's events
  uint32_t released = UINT32_MAX;  // the same; UINT32_MAX: never
  bool shared = false;             // a read lock
};

std::vector<LockHold> lock_holds(const channel::RunRecord& record, const ExecutionOrder& order);

}  // namespace jostle::report
