// SPDX-License-Identifier: Apache-2.0
// Stacks for reports.
#pragma once

#include <cstdint>

#include "src/schedule/run_end.h"

namespace jostle::rt {

struct Thread;

// Lets the unwinder initialise itself before the run begins. Otherwise its first user would do so
// as part of the run: the program in a run that is not recorded, we in one that is.
void init_backtrace();

// The stack of the running thread, our own frames left out. When `from` is one of its return
// addresses or the place of a fault, the stack starts there. Slow: microseconds.
void capture_own_stack(channel::Stack& stack, uintptr_t from);

// The stack of a thread that does not run, from where it gave way. False: not all of it is known.
bool capture_stack_of(const Thread& thread, channel::Stack& stack);

// Where the program's own code called the C++ library that has made the call at `pc`; `pc` itself
// when that is no such library, or when it is not known.
uintptr_t place_in_program(uintptr_t pc);

}  // namespace jostle::rt
