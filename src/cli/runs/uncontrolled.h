// SPDX-License-Identifier: Apache-2.0
// What a target does that the runtime does not control, in words.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace jostle::cli {

// One line per bit of channel::Uncontrolled.
std::vector<std::string_view> describe_uncontrolled(uint64_t bits);
// Without those that make a difference only where runs of the same schedule differ.
uint64_t matters_always(uint64_t bits);

}  // namespace jostle::cli
