// SPDX-License-Identifier: Apache-2.0
// Bits that workers of a search note besides Assumption bits: runs of one and of another are a gap
// together (TrailReader::gap_of).
#pragma once

#include <cstdint>

namespace jostle::dpor {

inline constexpr uint64_t kLeavesOutLocks = uint64_t{1} << 32;
inline constexpr uint64_t kFailsToLock = uint64_t{1} << 33;

inline uint64_t noted_locks(bool leaves_out, bool fails) {
  return (leaves_out ? kLeavesOutLocks : 0) | (fails ? kFailsToLock : 0);
}
inline bool locks_are_a_gap(uint64_t noted) {
  return (noted & kLeavesOutLocks) != 0 && (noted & kFailsToLock) != 0;
}

}  // namespace jostle::dpor
