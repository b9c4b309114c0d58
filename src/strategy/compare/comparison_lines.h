// SPDX-License-Identifier: Apache-2.0
// What a program compares, as a function of what it was given: where the difference of the two
// sides depends on one number in a straight line, like `4 * i + 68 == 0`, moving that number by a
// little and looking again tells where the two sides are equal.
#pragma once

#include "src/base/engine_memory.h"
#include "src/schedule/run_record.h"

namespace jostle {

inline uint64_t sign_extended(uint64_t value, uint32_t size) {
  if (size >= 8) return value;
  const uint32_t shift = 64 - 8 * size;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

// Of the two sides of a comparison in a run.
struct Difference {
  uint64_t place;
  uint32_t nth;  // comparison at that place
  uint32_t size;
  uint64_t amount;  // left - right
};

inline void note_differences(const channel::RunRecord& run, EngineVector<Difference>& to) {
  to.clear();
  for (uint32_t i = 0; i < run.comparison_count; ++i) {
    const channel::Comparison& seen = run.comparisons[i];
    uint32_t nth = 0;
    for (const Difference& before : to) nth += before.place == seen.place;
    const uint64_t amount =
        sign_extended(seen.left, seen.size) - sign_extended(seen.right, seen.size);
    to.push_back({seen.place, nth, seen.size, sign_extended(amount, seen.size)});
  }
}

inline const Difference* same_place(const EngineVector<Difference>& among, const Difference& as) {
  for (const Difference& other : among) {
    if (other.place == as.place && other.nth == as.nth) return &other;
  }
  return nullptr;
}

// `was` became `is` when a number moved by `moved`. Calls solution(shift) for every comparison
// whose sides would be equal if the number moved by `shift` instead.
template <typename Solution>
void solve_lines(const EngineVector<Difference>& was, const EngineVector<Difference>& is,
                 int64_t moved, Solution solution) {
  for (const Difference& before : was) {
    const Difference* now = same_place(is, before);
    if (!now) continue;
    const auto slope = static_cast<int64_t>(sign_extended(now->amount - before.amount, now->size));
    const auto missing = static_cast<int64_t>(before.amount);
    if (slope == 0 || missing == INT64_MIN || slope == INT64_MIN || missing % slope != 0) continue;
    const auto steps = static_cast<uint64_t>(missing / slope);
    solution(uint64_t{0} - steps * static_cast<uint64_t>(moved));
  }
}

}  // namespace jostle
