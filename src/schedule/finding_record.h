// SPDX-License-Identifier: Apache-2.0
// What a campaign hands over: failing runs, and other schedules that the command asked for.
#pragma once

#include <cstdint>

#include "src/schedule/run_end.h"
#include "src/schedule/weak/memory_model.h"

namespace jostle::channel {

// What is handed over besides failures.
enum class FindingRole : uint32_t {
  failure,  // of a campaign; the smallest so far of a minimisation
  minimum,  // the same, and it has been shown that there is none with fewer preemptions
  passes,   // a schedule next to the smallest one that does not fail
  noted,    // seen by a campaign, but no failure: races, by default
};

// A finding is kept compactly in `finding_bytes`, one behind the other, 16-byte aligned:
// FindingHeader, ThreadRecord[], Segment[], Choice[], Draw[].
struct FindingHeader {
  uint64_t bytes;            // of the whole finding, to the next one
  uint64_t schedule_number;  // counted from 1
  uint64_t signature;        // equal for findings that look the same
  uint64_t seed, digest;
  uint32_t thread_count, segment_count, choice_count, draw_count;
  FindingRole role;
  MemoryModel memory;  // of the run
  char strategy[48];   // see RunRecord
  Failure end;
};
inline constexpr uint64_t kFindingBytes = uint64_t{1} << 30;

}  // namespace jostle::channel
