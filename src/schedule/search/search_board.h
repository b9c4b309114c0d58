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
  std::atomic<uint64_t> version;     // how often it was written
  std::atomic<uint32_t> generation;  // of the bytes: it is in bytes[generation % 2]
  // How often the search has begun anew, because something was learned that earlier runs did not
  // show.
  std::atomic<uint32_t> epoch;
  std::atomic<uint32_t> idle;                     // workers that wait for work
  std::atomic<uint32_t> finished;                 // there is none left
  std::atomic<uint32_t> is_alone;                 // only the first worker works
  std::atomic<uint32_t> is_broken;                // it cannot be read, or did not fit
  std::atomic<double> share_done;                 // of the whole search, as it seems
  std::atomic<uint32_t> has_begun[kMostWorkers];  // a process with that number
  // What each has done, with the epoch to which it belongs: executions, those of them that were
  // blocked, what was assumed, why it is not complete (a TrailGap), and where.
  struct Progress {
    std::atomic<uint32_t> is_busy;  // in any epoch
    std::atomic<uint32_t> epoch;
    std::atomic<uint64_t> explored, blocked, deadlocks, redundant, assumptions, gap, gap_pc;
  };
  Progress progress[kMostWorkers];
  uint64_t beginning;  // how many bytes the generation began with
  uint64_t sizes[2];
  uint8_t bytes[2][kMostBytes];
};

}  // namespace jostle
