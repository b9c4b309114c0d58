// SPDX-License-Identifier: Apache-2.0
// Hash tables in shared memory that several processes fill at once, without a lock: a slot belongs
// to the value that was first put there by compare-and-swap. Everything is zero at the start.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/probe.h"

namespace jostle {

enum class SlotState : uint8_t { there, is_new, no_room };

struct ClaimedSlot {
  uint64_t slot;
  SlotState state;
};

// Looks for `value`, which is not 0, and puts it into the first empty slot if `has_room()`.
// `at(i)` is the i-th slot.
template <typename At, typename HasRoom>
ClaimedSlot claim_slot(uint64_t hash, uint64_t value, uint64_t size, const At& at,
                       const HasRoom& has_room) {
  JOSTLE_CHECK_NE(value, 0);
  SlotState state = SlotState::there;
  const uint64_t slot = probe(hash, size, [&](uint64_t i) {
    std::atomic<uint64_t>& place = at(i);
    uint64_t there = place.load(std::memory_order_relaxed);
    if (there == 0) {
      if (!has_room()) {
        state = SlotState::no_room;
        return true;
      }
      if (place.compare_exchange_strong(there, value, std::memory_order_relaxed)) {
        state = SlotState::is_new;
        return true;
      }
    }
    return there == value;
  });
  return {slot, state};
}

}  // namespace jostle
