// SPDX-License-Identifier: Apache-2.0
// What a run draws, compares and counts: its input, beside the schedule.
#pragma once

#include <atomic>
#include <cstdint>

namespace jostle::channel {

// What a property draws: one number out of a range. Everything that generators make is made of
// such draws, so that a shorter list of smaller numbers is a simpler input, whatever it stands for.
enum class DrawKind : uint8_t {
  signed_number,    // low, high and value are int64_t
  unsigned_number,  // uint64_t
  example,          // which of the user's examples; 0: none, the generators' turn
  // What a scenario of operations is made of (history/scenario_draws.h):
  more_operations,  // 1: the thread has one more
  more_threads,     // 1: there is one more
  operation,        // which
};
struct Draw {
  DrawKind kind;
  uint8_t reserved[7];
  uint64_t low, high;
  uint64_t value;
};
inline constexpr uint32_t kMaxDraws = 1 << 16;
struct Draws {
  uint32_t count;
  uint32_t overflow;  // 1: the run wanted more than there is room for
  Draw list[kMaxDraws];
};

// Two numbers that the program compared, where it is instrumented for that: what inputs are
// changed to. Those that are equal are of no use and not kept.
struct Comparison {
  uint64_t place;  // CodeLocation
  uint64_t left, right;
  uint32_t size;      // bytes
  uint32_t constant;  // 1: `left` is a constant of the program
  // The read of shared memory that brought one of them, by the names of its location and its place;
  // 0: none did.
  uint64_t read_name, read_site;
  uint32_t read_size;  // bytes
  uint32_t read_left;  // 1: it brought `left`
};
inline constexpr uint32_t kMaxComparisons = 256;

// What the values of a run are called in the report: "a = 10" per line.
inline constexpr uint32_t kMaxShown = 1 << 14;

// How many runs a property counted as what (jostle::classify).
struct ClassCount {
  char name[56];
  std::atomic<uint64_t> runs;
};
inline constexpr uint32_t kMaxClasses = 64;

}  // namespace jostle::channel
