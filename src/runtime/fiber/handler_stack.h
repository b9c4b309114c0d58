// SPDX-License-Identifier: Apache-2.0
// Which stack a signal handler runs on. One assembly file per architecture.
#pragma once

#include <signal.h>

namespace jostle::rt {

extern "C" {
// Calls function(signal, info, context) on the stack that ends at `top`, which is aligned to 16.
void jostle_call_on_stack(void* top, void (*function)(int, siginfo_t*, void*), int signal,
                          siginfo_t* info, void* context);
// Returns from a signal frame; not called directly.
void jostle_sigreturn();
}

}  // namespace jostle::rt
