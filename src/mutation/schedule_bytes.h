// SPDX-License-Identifier: Apache-2.0
// Mutations of a schedule that is a byte per decision (strategy/samplers/byte_numbers.h).
//
// What a byte means depends on all before it, and 0 is "no preemption": so most edits are a switch
// more, one less, or one moved, and everything before them stays. Now and then all behind a point
// is new.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/rng.h"

namespace jostle {

// Changes `data` in place, which has room for `room` bytes, and returns its new size. `decisions`:
// how many a run makes, as far as known (0: it is not); bytes behind that mean nothing.
size_t mutate_schedule(uint8_t* data, size_t size, size_t room, size_t decisions, Rng& rng);

// The beginning of one and what follows there in the other. Returns the size.
size_t cross_schedules(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                       uint8_t* to, size_t room, Rng& rng);

}  // namespace jostle
