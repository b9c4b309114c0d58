// SPDX-License-Identifier: Apache-2.0
// In which order the events of a trace were executed.
//
// A thread's event is recorded when the thread announces it. If it is not its turn then, others run
// first, and the event is executed when the thread is picked again: the order of the trace is not
// the order of execution. The segments of the schedule tell the latter.
#pragma once

#include <cstdint>
#include <vector>

#include "src/schedule/run_record.h"

namespace jostle::report {

struct ExecutedEvent {
  uint32_t entry = 0;      // index into the trace
  uint32_t segment = 0;    // index into ExecutionOrder::segments
  bool resumed = false;    // others ran between its announcement and its execution
  bool preempted = false;  // and the thread could have gone on
};

struct ExecutedSegment {
  uint32_t thread = 0;
  bool forced = false;               // it could not go on
  bool ended = false;                // the thread ended
  uint32_t stopped_at = UINT32_MAX;  // index into the trace: what it was about to do
  uint32_t in_log = UINT32_MAX;      // index into the schedule's segments
};

struct ExecutionOrder {
  std::vector<ExecutedEvent> events;
  std::vector<ExecutedSegment> segments;  // those in which something was executed
  std::vector<uint32_t> pending;          // trace entries that never were, by thread
};

ExecutionOrder execution_order(const channel::RunRecord& record);

}  // namespace jostle::report
