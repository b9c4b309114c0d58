// SPDX-License-Identifier: Apache-2.0
// Which memory of a run threads shared, and whose effect each event observed.
#pragma once

#include <cstdint>
#include <vector>

#include "src/report/model/execution_order.h"
#include "src/report/model/stores/modification_order.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

struct DataFlow {
  // For each event of the order the one it observed: of a read the last write that overlaps it (of
  // a stale one that which it has read), of a lock the last release, of a thread's beginning its
  // creation. UINT32_MAX: the initial value.
  std::vector<uint32_t> reads_from;
  // For each entry of the trace: does it touch memory that another thread
  // uses too and that changes while both are there?
  // Events that are no memory accesses always count.
  std::vector<bool> shared;
  // Of atomics whose newest store was not always read; positions in the order.
  std::vector<ModificationOrder> modification_orders;
};

DataFlow data_flow(const channel::RunRecord& record, const ExecutionOrder& order);

}  // namespace jostle::report
