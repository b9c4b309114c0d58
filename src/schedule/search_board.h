// SPDX-License-Identifier: Apache-2.0
// What the workers of one exhaustive search have in common, in the hub: the part of its tree that
// they share, what they have learned of the program, and how far they are. The content is the
// search's business (strategy/dpor/work_share.h).
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
  std::atomic<uint32_t> idle;        // workers that wait for work
  std::atomic<uint32_t> finished;    // there is none left
  std::atomic<uint32_t> is_alone;   // only the first worker works
  std::atomic<uint32_t> is_broken;  // it cannot be read, or did not fit
  std::atomic<uint64_t> explored;    // executions, in this epoch
  std::atomic<uint64_t> blocked;     // of them
  std::atomic<uint64_t> estimate;    // of all
  std::atomic<uint32_t> assumptions;
  std::atomic<uint32_t> gap;         // a TrailGap, the first that was met
  std::atomic<uint64_t> gap_pc;
  std::atomic<uint32_t> has_begun[kMostWorkers];  // a process with that number
  uint64_t sizes[2];
  uint8_t bytes[2][kMostBytes];
};

}  // namespace jostle
