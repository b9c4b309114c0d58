// SPDX-License-Identifier: Apache-2.0
// Signal frames on a stack of the program's.
//
// The kernel delivers signals on a stack of ours, of which there is one; but a handler of the
// program's may take long, let other threads run, and jump away. So it does not run there: its
// frame (siginfo, registers, floating-point state) is moved to where the program would have it, in
// the kernel's own layout, and the kernel goes on with the handler. What the handler
// changes in the frame takes effect when it returns, as always.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

namespace jostle::rt {

// `context` is the kernel's, of a handler that is about to return. It will return to
// `function(sig, info, context)` with copies of both in a frame below `top`, or below what was
// interrupted (top = 0). False, and nothing is done: the frame would begin below `lowest`.
using SignalFunction = void (*)(int sig, siginfo_t* info, void* context);
bool return_to_handler(int sig, siginfo_t* info, void* context, uintptr_t top, uintptr_t lowest,
                       SignalFunction function);

uintptr_t interrupted_at(const ucontext_t& context);
uintptr_t interrupted_stack(const ucontext_t& context);
void set_interrupted(ucontext_t& context, uintptr_t pc, uintptr_t stack);

// The mask to return to: the kernel's is one word, and all of it.
uint64_t& mask_in(ucontext_t& context);

}  // namespace jostle::rt
