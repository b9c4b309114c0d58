// SPDX-License-Identifier: Apache-2.0
// Signals that end a run: faults of the program.
#pragma once

#include <cstdint>

// qemu 7 starts handlers of x86-64 programs on a stack that is not aligned.
#if defined(__x86_64__)
#define JOSTLE_SIGNAL_HANDLER __attribute__((force_align_arg_pointer))
#else
#define JOSTLE_SIGNAL_HANDLER
#endif

namespace jostle::rt {

// Our handlers, on a stack of their own. The program's handlers for the same signals are kept by
// interpose/signal/signal.cc and asked first.
void install_fatal_signal_handlers();

// Ends the process as the default action of `signal` does, after recording it.
[[noreturn]] void die_of_signal(int signal);

}  // namespace jostle::rt
