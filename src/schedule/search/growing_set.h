// SPDX-License-Identifier: Apache-2.0
// A set of hashes in shared memory, filled by compare-and-swap, whose members lie close together
// while there are few: memory that nobody has touched costs a page fault, and members that are
// spread over all of a large table cost one each. The table is a row of stretches, each eight times
// as large as the one before. New members go to the first stretch that is not half full.
//
// Two processes that insert the same value while a stretch is just becoming full may both count it.
// Everything is zero at the start.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/schedule/search/shared_slots.h"

namespace jostle {

// kLast: slots of the last stretch.
template <uint64_t kLast>
struct GrowingSet {
  static constexpr uint64_t kGrowth = 8;
  static constexpr uint64_t kFirst = kLast / (kGrowth * kGrowth * kGrowth);
  static_assert(kFirst >= 2 && (kLast & (kLast - 1)) == 0);
  static constexpr uint64_t slots_below(uint64_t size) {
    uint64_t sum = 0;
    for (uint64_t s = kFirst; s < size; s *= kGrowth) sum += s;
    return sum;
  }
  static constexpr uint64_t kSlots = slots_below(kLast) + kLast;
  static constexpr uint64_t kMost = kSlots / 2;  // it takes no more
  static constexpr uint64_t kNoSlot = UINT64_MAX;

  std::atomic<uint64_t> used;
  std::atomic<uint64_t> slots[kSlots];

  struct Place {
    uint64_t slot;   // kNoSlot: there is no room for it
    uint64_t order;  // of a new value: how many were there before
    bool is_new;
  };
  Place place(uint64_t value) {
    if (value == 0) value = 1;
    const uint64_t known = used.load(std::memory_order_relaxed);
    for (uint64_t begin = 0, size = kFirst; size <= kLast; begin += size, size *= kGrowth) {
      const auto [i, state] = claim_slot(
          value, value, size, [&](uint64_t at) -> auto& { return slots[begin + at]; },
          [&] { return known < (begin + size) / 2; });
      if (state == SlotState::no_room) continue;  // perhaps in the next stretch
      if (state == SlotState::there) return {begin + i, 0, false};
      return {begin + i, used.fetch_add(1, std::memory_order_relaxed), true};
    }
    return {kNoSlot, 0, false};
  }
  // True when it was not there.
  bool insert(uint64_t value) { return place(value).is_new; }

  // It will be asked for the value soon.
  void expect(uint64_t value) const {
    const uint64_t known = used.load(std::memory_order_relaxed);
    for (uint64_t begin = 0, size = kFirst; size <= kLast; begin += size, size *= kGrowth) {
      __builtin_prefetch(&slots[begin + value % size], 1);
      if (known < (begin + size) / 2) return;
    }
  }
};

// The same, with how often each value came.
template <uint64_t kLast>
struct GrowingTally {
  GrowingSet<kLast> set;
  std::atomic<uint32_t> counts[GrowingSet<kLast>::kSlots];
  // In the order in which they came: slot + 1.
  std::atomic<uint32_t> slot_of[GrowingSet<kLast>::kSlots];

  void count(uint64_t value) {
    const auto place = set.place(value);
    if (place.slot == set.kNoSlot) return;
    counts[place.slot].fetch_add(1, std::memory_order_relaxed);
    if (place.is_new && place.order < set.kSlots) {
      slot_of[place.order].store(static_cast<uint32_t>(place.slot) + 1, std::memory_order_relaxed);
    }
  }
  uint64_t different() const { return set.used.load(std::memory_order_relaxed); }
  // How often the i-th value came.
  uint64_t count_of(uint64_t i) const {
    const uint32_t slot = slot_of[i].load(std::memory_order_relaxed);
    return slot == 0 ? 0 : counts[slot - 1].load(std::memory_order_relaxed);
  }
};

}  // namespace jostle
