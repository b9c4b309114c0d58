// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/stop_points/stop_ranges.h"

#include <algorithm>

namespace jostle::cli {
namespace {

using Active = std::vector<const StopPiece*>;

// The kinds of a place that these cover, outermost first.
uint32_t joined(const Active& active) {
  uint32_t kinds = 0;
  bool strong = false;
  for (const StopPiece* piece : active) {
    kinds &= ~piece->excluded;
    strong = strong && (kinds & kStops) != 0;
    kinds |= piece->kinds & ~channel::kStopWeak;
    strong = strong || ((piece->kinds & kStops) && !(piece->kinds & channel::kStopWeak));
  }
  return (kinds & kStops) == 0 || strong ? kinds : kinds | channel::kStopWeak;
}

void append(std::vector<channel::StopRange>& ranges, channel::CodeLocation begin,
            channel::CodeLocation end, uint32_t kinds) {
  if (kinds == 0 || begin == end) return;
  if (!ranges.empty() && ranges.back().end == begin && ranges.back().kinds == kinds) {
    ranges.back().end = end;
  } else {
    ranges.push_back({begin, end, kinds, 0});
  }
}

}  // namespace

std::vector<channel::StopRange> disjoint_ranges(const std::vector<StopPiece>& pieces) {
  struct Edge {
    channel::CodeLocation at;
    bool begins;
    const StopPiece* piece;
  };
  std::vector<Edge> edges;
  for (const StopPiece& piece : pieces) {
    if (piece.begin >= piece.end) continue;
    edges.push_back({piece.begin, true, &piece});
    edges.push_back({piece.end, false, &piece});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::vector<channel::StopRange> ranges;
  Active active;
  channel::CodeLocation from = 0;
  for (const Edge& edge : edges) {
    append(ranges, from, edge.at, joined(active));
    from = edge.at;
    if (edge.begins) {
      const auto deeper = std::upper_bound(active.begin(), active.end(), edge.piece,
                                           [](auto* a, auto* b) { return a->depth < b->depth; });
      active.insert(deeper, edge.piece);
    } else {
      active.erase(std::find(active.begin(), active.end(), edge.piece));
    }
  }
  return ranges;
}

}  // namespace jostle::cli
