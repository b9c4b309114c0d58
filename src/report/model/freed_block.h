// SPDX-License-Identifier: Apache-2.0
// The free of the block that was used, or freed once more, behind it: the step without which a
// failure of the heap is not understood.
//
// To free is no operation of a schedule, and so it is not in the trace. The runtime remembers who
// gave the block back, where, and behind which of its operations.
#pragma once

#include "src/schedule/run_record.h"

namespace jostle::report {

// The block that the run ended with, if it was freed then and it is known by whom; or null.
const channel::ObjectRecord* freed_block(const channel::RunRecord& record);

// Was the event before the free? Null: there is none.
inline bool is_before_free(const channel::TraceEvent& event, const channel::ObjectRecord* block) {
  return block != nullptr && event.thread == block->freed_by && event.event <= block->freed_event;
}

}  // namespace jostle::report
