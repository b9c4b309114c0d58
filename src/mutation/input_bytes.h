// SPDX-License-Identifier: Apache-2.0
// Mutations of an input, in the manner of AFL and libFuzzer: bits, bytes, arithmetic, interesting
// numbers, blocks; what the program compared (schedule/feedback.h); pieces of another input.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/rng.h"
#include "src/schedule/feedback.h"

namespace jostle {

// What is known about the program and the corpus. All of it may be missing.
struct InputHints {
  const Feedback* feedback = nullptr;  // of a run with this very input, or one like it
  const uint8_t* other = nullptr;      // another input, to take pieces from
  size_t other_size = 0;
};

// Changes `data` in place, which has room for `room` bytes, and returns its new size.
size_t mutate_input(uint8_t* data, size_t size, size_t room, const InputHints& hints, Rng& rng);

}  // namespace jostle
