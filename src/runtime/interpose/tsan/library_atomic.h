// SPDX-License-Identifier: Apache-2.0
// Atomic operations of a library that is not instrumented, for hooks that know of them.
#pragma once

#include <cstdint>

namespace jostle::rt {

// The library adds `change` to its counter as soon as the hook lets it: the scheduling point, and
// what the operation means for others. The counter is left as it is.
void library_will_add(volatile uint32_t* counter, int change, int order, uintptr_t pc);

}  // namespace jostle::rt
