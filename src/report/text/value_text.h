// SPDX-License-Identifier: Apache-2.0
// What memory held, as a reader would write it: by the type of the variable.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>

namespace jostle::report {

// "-1", "true", "'a' (97)", "State::closed", "0x6000000010", "nullptr", "0.5". `value` is
// zero-extended from `size` bytes. Empty: the type does not say how.
std::string value_text(Dwarf_Die type, uint64_t value, uint32_t size);

// The same when the type is not known: "50", "-1", "0x6000000010".
std::string value_text(uint64_t value, uint32_t size);

}  // namespace jostle::report
