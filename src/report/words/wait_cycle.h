// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "src/schedule/run_record.h"

namespace jostle::report {

// The first circle of threads of which each waits for the next, in that order; empty: there is
// none. A deadlock may have several.
inline std::vector<uint32_t> wait_cycle(std::span<const channel::ThreadReport> all) {
  const auto in_cycle = [](const channel::ThreadReport& report) { return report.in_cycle != 0; };
  auto at = std::ranges::find_if(all, in_cycle);
  std::vector<uint32_t> threads;
  while (at != all.end() && threads.size() < all.size()) {
    threads.push_back(at->thread);
    const uint32_t next = at->waits_for_thread;
    if (next == threads.front()) return threads;
    at = std::ranges::find_if(all, [&](const channel::ThreadReport& report) {
      return report.thread == next && in_cycle(report);
    });
  }
  return {};
}

}  // namespace jostle::report
