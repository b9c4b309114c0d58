// SPDX-License-Identifier: Apache-2.0
// System calls that a library makes by an instruction of its own instead of by a function of libc,
// which would be a hook.
//
// On x86-64 libgomp and libitm wait for futexes in this way: a thread would wait in the kernel, and
// with it all others. Each such instruction is made a breakpoint when the library is loaded; the
// handler of the breakpoint goes on in `jostle_enter_system_call`, on the thread's own stack, which
// calls `jostle_system_call` (interpose/sync/raw_futex.cc) and returns behind the instruction.
#pragma once

#include <link.h>
#include <ucontext.h>

namespace jostle::rt {

// The library is loaded. Does nothing but on x86-64, and for libraries known to do this.
void take_over_system_calls(const dl_phdr_info& module, const char* name);

// For the handler of SIGTRAP: true when it was one of these, and the context goes on as said above.
bool enter_system_call(ucontext_t& context);

}  // namespace jostle::rt
