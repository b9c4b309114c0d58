// SPDX-License-Identifier: Apache-2.0
#include "src/mutation/fuzzer_data.h"

#include <algorithm>

#include "src/mutation/input_bytes.h"
#include "src/mutation/parts.h"
#include "src/mutation/schedule_bytes.h"

namespace jostle {
namespace {

// Longer schedules than this are cut: runs of so many decisions are not steered by a byte each.
constexpr size_t kMostSchedule = 4096;

}  // namespace

size_t mutate_fuzzer_data(uint8_t* data, size_t size, size_t room, size_t decisions,
                          InputMutator mutate, Rng& rng) {
  const Parts parts = split_parts(data, size);
  if (room < kPartsTrailer + 2) {
    return mutate ? mutate(data, size, room) : mutate_input(data, size, room, {}, rng);
  }
  const size_t space = room - kPartsTrailer;
  uint8_t schedule[kMostSchedule];
  size_t schedule_size =
      std::min({parts.schedule_size, kMostSchedule, space - std::min(space, parts.input_size)});
  std::copy(parts.schedule, parts.schedule + schedule_size, schedule);
  size_t input_size = std::min(parts.input_size, space);
  // Mostly one of the two: then it is known which of them brought what.
  const uint64_t which = rng.below(8);
  if (which >= 3) {
    const size_t left = std::min(kMostSchedule, space - input_size);
    schedule_size = mutate_schedule(schedule, schedule_size, left, decisions, rng);
  }
  if (which < 4) {
    const size_t left = space - schedule_size;
    input_size =
        mutate ? mutate(data, input_size, left) : mutate_input(data, input_size, left, {}, rng);
  }
  std::copy(schedule, schedule + schedule_size, data + input_size);
  return seal_parts(data, input_size, schedule_size);
}

size_t cross_fuzzer_data(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                         uint8_t* to, size_t room, Rng& rng) {
  if (room < kPartsTrailer) return 0;
  const Parts first = split_parts(a, a_size), second = split_parts(b, b_size);
  const size_t space = room - kPartsTrailer;
  const bool one_input = rng.below(2);
  size_t input_size = std::min(first.input_size, space);
  if (one_input) {
    std::copy(first.input, first.input + input_size, to);
  } else {
    input_size = cross_schedules(first.input, first.input_size, second.input, second.input_size, to,
                                 space, rng);
  }
  const size_t left = std::min(kLongestSchedule, space - input_size);
  const size_t schedule_size = cross_schedules(first.schedule, first.schedule_size, second.schedule,
                                               second.schedule_size, to + input_size, left, rng);
  return seal_parts(to, input_size, schedule_size);
}

}  // namespace jostle
