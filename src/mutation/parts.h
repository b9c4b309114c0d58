// SPDX-License-Identifier: Apache-2.0
// Fuzzer data that is two things: an input, and the schedule under which it is handled.
//
//     input … | schedule … | length of the schedule, 2 bytes | 'J' 'S'
//
// The trailer is at the end, and data without it is all input: a corpus that was there before
// Jostle keeps its meaning, with the plain schedule. <jostle/fuzzer.h> has the same for harnesses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle {

struct Parts {
  const uint8_t* input;
  size_t input_size;
  const uint8_t* schedule;
  size_t schedule_size;
};

inline constexpr size_t kPartsTrailer = 4;
inline constexpr size_t kLongestSchedule = 0xFFFF;

Parts split_parts(const uint8_t* data, size_t size);
// Writes the trailer behind an input and a schedule that lie one after the other; the whole size.
size_t seal_parts(uint8_t* data, size_t input_size, size_t schedule_size);

}  // namespace jostle
