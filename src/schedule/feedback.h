// SPDX-License-Identifier: Apache-2.0
// What one run of the program has covered and compared, for the choice of its next input.
//
// Plain data, in memory that all runs of a target process share with the engine: the hooks fill it
// in during a run (runtime/coverage/), the engine reads it when the run is over, before anything is
// rewound, and clears it. A feature is a number below kFeatures, a hash of what was seen: an edge
// of the program with how often it was taken, a pair of functions that ran at the same time, a
// write and the read that observed it. Two features may fall together.
#pragma once

#include <cstdint>

namespace jostle {

inline constexpr uint32_t kFeatures = 1 << 16;

// Two values that the program compared, the last ones of every place in it. Input-to-state: bytes
// of the input that hold one of them are worth to be replaced by the other.
struct Comparison {
  uint64_t left, right;
  uint32_t size;   // bytes that count: 1, 2, 4, 8
  uint32_t place;  // hash of where; 0: the entry is empty
};
inline constexpr uint32_t kComparisons = 1 << 10;

// The same for memcmp, strcmp and the like: the first bytes of both.
struct ComparedText {
  uint8_t left[24], right[24];
  uint32_t left_size, right_size;  // 0, 0: the entry is empty
};
inline constexpr uint32_t kComparedTexts = 1 << 7;

struct Feedback {
  uint32_t lists;      // 1: comparisons go into the run's record, too (RunRecord::comparisons)
  uint32_t has_edges;  // 1: the program is built to tell about its edges
  uint32_t set_count;  // used of `set`
  uint8_t counts[kFeatures];  // how often, up to 255
  uint32_t set[kFeatures];    // the features that are not 0, in the order in which they came
  Comparison comparisons[kComparisons];  // by place
  ComparedText texts[kComparedTexts];
  uint8_t listed[kComparisons];  // how often a place is in the record already

  void add(uint64_t hash) {
    const uint32_t feature = static_cast<uint32_t>(hash >> 20) & (kFeatures - 1);
    uint8_t& count = counts[feature];
    if (count == 0) set[set_count++] = feature;
    count += count != 255;
  }

  void clear() {
    for (uint32_t i = 0; i < set_count; ++i) counts[set[i]] = 0;
    set_count = 0;
    if (lists) {
      for (uint8_t& n : listed) n = 0;
    }
  }
  void clear_comparisons() {
    for (Comparison& comparison : comparisons) comparison.place = 0;
    for (ComparedText& text : texts) text.left_size = text.right_size = 0;
  }
};

// Counts differ in kind when their bucket does: 1, 2, 3, 4 to 7, 8 to 15, … as a bit.
constexpr uint8_t bucket_of(uint8_t count) {
  constexpr uint8_t kFirst[] = {0, 1, 2, 4};
  if (count < 4) return kFirst[count];
  return count < 8 ? 8 : count < 16 ? 16 : count < 32 ? 32 : count < 128 ? 64 : 128;
}

}  // namespace jostle
