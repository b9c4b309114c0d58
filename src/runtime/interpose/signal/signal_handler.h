// SPDX-License-Identifier: Apache-2.0
// Running the program's signal handlers: with which mask, on which stack, and what becomes of what
// they interrupted when they do not return.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

bool is_handler(const struct sigaction& action);

// What a handler interrupts.
struct Interrupted {
  SuspendedWait* wait = nullptr;
  ucontext_t* context = nullptr;  // null: a hook
  bool placed = false;            // it is on the handler's stack already
};

// Runs the handler of `action`, of which the caller knows that there is one.
void run_handler(int sig, const struct sigaction& action, siginfo_t& info,
                 const Interrupted& interrupted);
// As deliver_pending_signals.
void deliver_signals(const Interrupted& interrupted);

// The kernel delivers a signal on our stack. True: when our handler returns, the program's handlers
// run where they belong. False: there is no room for them, or the signal is blocked.
bool return_to_program_handler(int sig, siginfo_t* info, void* context);
// The same for whatever has arrived from outside.
bool return_to_arrived_handlers(int sig, siginfo_t* info, void* context);

// The current thread is about to jump from one place of its stacks to another. Handlers that it
// leaves are over: what they interrupted is given up, and the mask is the one from before.
void leave_handlers(uintptr_t from, uintptr_t to);

// In a forked child: only what the current thread has left to return to.
void forget_handlers_of_others();

}  // namespace jostle::rt
