// SPDX-License-Identifier: Apache-2.0
// A search that was interrupted, as bytes that only the search understands: from the command to the
// target, which goes on with it, and back when that is interrupted in turn.
#pragma once

#include <atomic>
#include <cstdint>

namespace jostle {

struct SavedSearch {
  static constexpr uint64_t kMost = 1 << 26;
  std::atomic<uint64_t> size;  // 0: there is none
  uint8_t bytes[kMost];
};

}  // namespace jostle
