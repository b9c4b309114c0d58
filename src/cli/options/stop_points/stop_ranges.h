// SPDX-License-Identifier: Apache-2.0
// From functions that overlap (copies inlined into others) to the disjoint ranges of the channel.
#pragma once

#include <cstdint>
#include <vector>

#include "src/schedule/stop_range.h"

namespace jostle::cli {

// Where a thread stops, not how.
inline constexpr uint32_t kStops = channel::kStopEntry | channel::kStopInside;

// Code of one function, and what the user wants there.
struct StopPiece {
  channel::CodeLocation begin = 0, end = 0;
  uint32_t depth = 0;     // how deep it is inlined: the deeper one knows better
  uint32_t kinds = 0;     // StopKind bits that are wanted
  uint32_t excluded = 0;  // and those that are not
};

// Sorted and disjoint. Where pieces overlap their kinds are joined, weak only if all are; what one
// excludes, those around it do not bring back.
std::vector<channel::StopRange> disjoint_ranges(const std::vector<StopPiece>& pieces);

}  // namespace jostle::cli
