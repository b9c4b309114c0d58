// SPDX-License-Identifier: Apache-2.0
// What the workers of one exhaustive search have in common, in the hub: the part of its tree that
// they share, what they have learned of the program, and how far they are. The content is the
// search's business (strategy/dpor/work/work_share.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/shared_lock.h"

namespace jostle {

struct SearchBoard {
  static constexpr uint64_t kMostBytes = 1 << 26;
  static constexpr uint32_t kMostWorkers = 256;

  SharedLock lock;
  // How often it was written; the last time into bytes[version % 2], so that who dies while
  // writing damages nothing.
  std::atomic<uint64_t> version;
  // How often the search has begun anew, because something was learned that earlier runs did not
  // show.
  std::atomic<uint32_t> epoch;
  std::atomic<uint32_t> idle;                     // workers that wait for work
  std::atomic<uint32_t> finished;                 // there is none left
  std::atomic<uint32_t> is_alone;                 // only the first worker works
  std::atomic<uint32_t> is_broken;                // it cannot be read, or did not fit
  std::atomic<uint64_t> estimate;                 // of all executions
  std::atomic<uint32_t> has_begun[kMostWorkers];  // a process with that number
  // What each has done, with the epoch to which it belongs: executions, those of them that were
  // blocked, what was assumed, why it is not complete (a TrailGap), and where.
  struct Progress {
    std::atomic<uint32_t> is_busy;  // in any epoch
    std::atomic<uint32_t> epoch;
    std::atomic<uint64_t> explored, blocked, deadlocks, redundant, assumptions, gap, gap_pc;
  };
  Progress progress[kMostWorkers];
  uint64_t sizes[2];
  uint8_t bytes[2][kMostBytes];
};

}  // namespace jostle
