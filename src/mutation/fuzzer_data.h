// SPDX-License-Identifier: Apache-2.0
// Mutations of fuzzer data that holds an input and a schedule (parts.h): what the custom mutators
// for libFuzzer and AFL++ do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/rng.h"

namespace jostle {

using InputMutator = size_t (*)(uint8_t* data, size_t size, size_t room);

// Changes `data` in place, which has room for `room` bytes, and returns its new size. `decisions`
// as for mutate_schedule. A null `mutate` means mutate_input.
size_t mutate_fuzzer_data(uint8_t* data, size_t size, size_t room, size_t decisions,
                          InputMutator mutate, Rng& rng);

// A child of two, in both parts. Returns its size.
size_t cross_fuzzer_data(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                         uint8_t* to, size_t room, Rng& rng);

}  // namespace jostle
