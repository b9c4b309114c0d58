// SPDX-License-Identifier: Apache-2.0
// Arithmetic on draws: which value is the simplest, which fit, which is simpler.
#pragma once

#include <cstdint>

#include "src/schedule/input_record.h"

namespace jostle {

using channel::Draw;
using channel::DrawKind;

// Ranges are handled as offsets from `low`, which is the same arithmetic for both kinds.
constexpr uint64_t span_of(const Draw& draw) { return draw.high - draw.low; }
constexpr bool fits(const Draw& draw, uint64_t value) { return value - draw.low <= span_of(draw); }

// What everything shrinks to: zero, or what is nearest to it.
constexpr uint64_t simplest(const Draw& draw) {
  if (draw.kind != DrawKind::signed_number) return draw.low;
  if (static_cast<int64_t>(draw.low) > 0) return draw.low;
  return static_cast<int64_t>(draw.high) < 0 ? draw.high : 0;
}

// How far a value is from the simplest one; negative numbers count as less simple than positive
// ones of the same size.
constexpr uint64_t complexity(const Draw& draw, uint64_t value) {
  const uint64_t centre = simplest(draw);
  if (draw.kind != DrawKind::signed_number) return value - centre;
  const bool below = static_cast<int64_t>(value) < static_cast<int64_t>(centre);
  const uint64_t distance = below ? centre - value : value - centre;
  if (distance > UINT64_MAX / 2) return UINT64_MAX;
  return distance * 2 - (below || distance == 0 ? 0 : 1);
}

// The value itself if it fits, else the nearest end of the range.
constexpr uint64_t clamped(const Draw& draw, uint64_t value) {
  if (fits(draw, value)) return value;
  if (draw.kind != DrawKind::signed_number) return value < draw.low ? draw.low : draw.high;
  return static_cast<int64_t>(value) < static_cast<int64_t>(draw.low) ? draw.low : draw.high;
}

}  // namespace jostle
