// SPDX-License-Identifier: Apache-2.0
// Atomic operations of libraries that are not instrumented, for hooks that know of them or are in
// their place: as those of instrumented code. `pc` is where the program called the function,
// `order` one of __ATOMIC_…
#pragma once

#include <cstdint>

namespace jostle::rt {

// One atomic update: what was there becomes `update` of that and of `argument`. The value before.
using LibraryUpdate = uint64_t (*)(uint64_t before, uint64_t argument);
uint64_t library_update(volatile uint64_t* p, LibraryUpdate update, uint64_t argument, int order,
                        uintptr_t pc);
uint32_t library_update(volatile uint32_t* p, uint32_t (*update)(uint32_t before), int order,
                        uintptr_t pc);

// The library adds `change` to its counter as soon as the hook lets it: the scheduling point, and
// what the operation means for others. The counter is left as it is.
void library_will_add(volatile uint32_t* counter, int change, int order, uintptr_t pc);

}  // namespace jostle::rt
