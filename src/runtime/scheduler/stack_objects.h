// SPDX-License-Identifier: Apache-2.0
// Variables on stacks that several threads use: whose they are at the time.
//
// When a run is over, many functions have returned, and others' variables lie where theirs were.
// So while recording, the stack of the owner is kept when such a variable is used, once for each
// call of a function that the address belonged to.
#pragma once

#include <cstdint>

namespace jostle::rt {

class Scheduler;

// The current thread is about to access this, at `pc`.
void note_stack_object(Scheduler& scheduler, uintptr_t address, uintptr_t pc);

}  // namespace jostle::rt
