// SPDX-License-Identifier: Apache-2.0
// The processor's counter of time as the program reads it: virtual time, in nanoseconds. To read it
// is an operation like any other clock's.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace jostle::rt {

// Can all registers be kept while others run?
bool can_read_counter();

// The context, which is at the instruction, goes on behind it, at `next`, with the counter in rdx
// and rax: by a call on the thread's own stack, because others may run before.
void go_on_with_counter(ucontext_t& context, uintptr_t next);

}  // namespace jostle::rt
