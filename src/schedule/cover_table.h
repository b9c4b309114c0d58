// SPDX-License-Identifier: Apache-2.0
// What a campaign covers of a program's concurrency, by places in the program: shared memory
// between its target processes and `jostle cover`. Like the hub it is filled by compare-and-swap
// and zero at the start.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/hash.h"
#include "src/schedule/code_location.h"
#include "src/schedule/search/shared_slots.h"

namespace jostle {

enum class PairKind : uint32_t {
  functions,   // two threads are in these places at the same time
  contexts,    // a switch from the one to the other, each with its callers
  reads_from,  // what the first writes the second reads
  locks,       // the second takes what the first gave back
};
inline constexpr uint32_t kPairKinds = 4;

struct CoverTable {
  static constexpr uint32_t kMostDepth = 6;
  static constexpr uint32_t kSlots = 1 << 15;

  struct Pair {
    std::atomic<uint64_t> hash;  // 0: empty
    std::atomic<uint64_t> count;
    PairKind kind;
    std::atomic<uint32_t> is_complete;  // kind and places are there
    // Innermost first; 0 behind the last.
    channel::CodeLocation left[kMostDepth], right[kMostDepth];
  };

  uint32_t depth;  // of contexts; set by the command
  uint32_t reserved;
  std::atomic<uint64_t> used, lost;  // lost: there was no room
  Pair pairs[kSlots];

  void add(PairKind kind, const channel::CodeLocation* left, const channel::CodeLocation* right,
           uint32_t count) {
    uint64_t hash = combine(31, static_cast<uint64_t>(kind));
    for (uint32_t i = 0; i < count; ++i) hash = combine(combine(hash, left[i]), right[i]);
    hash |= 1;
    const auto [slot, state] = claim_slot(
        hash >> 7, hash, kSlots, [&](uint64_t i) -> auto& { return pairs[i].hash; },
        [&] { return used.load(std::memory_order_relaxed) < kSlots / 4 * 3; });
    if (state == SlotState::no_room) {
      lost.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    Pair& pair = pairs[slot];
    if (state == SlotState::is_new) {
      used.fetch_add(1, std::memory_order_relaxed);
      pair.kind = kind;
      for (uint32_t k = 0; k < count; ++k) {
        pair.left[k] = left[k];
        pair.right[k] = right[k];
      }
      pair.is_complete.store(1, std::memory_order_release);
    }
    pair.count.fetch_add(1, std::memory_order_relaxed);
  }
};

}  // namespace jostle
