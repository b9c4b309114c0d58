// SPDX-License-Identifier: Apache-2.0
// With weak memory the store that was executed last is not always the newest, and not always the
// one that is read: in which order the stores to an atomic variable stand, and which of them each
// operation has read.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/report/model/execution_order.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// The stores to one location: positions in the order of execution, the oldest first. What was there
// before all of them is not among them.
struct ModificationOrder {
  uintptr_t object = 0;
  std::vector<uint32_t> stores = {};
};

struct ModificationOrders {
  // Of locations where something else than the newest was read, or stored before others.
  std::vector<ModificationOrder> orders = {};
  // Of all operations there that read: the store, UINT32_MAX for what was there before.
  std::unordered_map<uint32_t, uint32_t> reads_from = {};
};

ModificationOrders modification_orders(const channel::RunRecord& record,
                                       const ExecutionOrder& order);

}  // namespace jostle::report
