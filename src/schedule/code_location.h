// SPDX-License-Identifier: Apache-2.0
// Where in the program: the same number in every run and process.
#pragma once

#include <cstdint>

namespace jostle::channel {

// A code location that is the same in every run and process: 16 bits of a hash of the module's file
// name, 48 bits of offset into it. 0: unknown.
using CodeLocation = uint64_t;

}  // namespace jostle::channel
