// SPDX-License-Identifier: Apache-2.0
// Stop points, as the runtime looks them up.
#pragma once

#include <cstdint>

#include "src/schedule/code_location.h"

namespace jostle::channel {

// A function, or a piece of one, that the user wants threads to be preempted in. Sorted, not
// overlapping.
enum StopKind : uint32_t {
  kStopEntry = 1 << 0,   // where it is entered: before the next operation of the thread
  kStopInside = 1 << 1,  // at operations in it
  kStopWeak = 1 << 2,    // only the current thread may be held there: it goes on or the next one in
                         // order does
  // The standard library's code, here because it is made of templates: what it does counts as done
  // by the function that calls it.
  kStopLibrary = 1 << 3,
  // No stop: it takes several locks at once (std::lock), for strategies that explore all
  // executions.
  kStopLocksAll = 1 << 4,
};
struct StopRange {
  CodeLocation begin, end;
  uint32_t kinds;  // StopKind bits
  uint32_t reserved;
};

inline constexpr uint32_t kMaxStopRanges = 1 << 16;
inline constexpr uint32_t kMaxAtomicRanges = 1 << 10;

}  // namespace jostle::channel
