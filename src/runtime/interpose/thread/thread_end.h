// SPDX-License-Identifier: Apache-2.0
// How threads end: by returning, by pthread_exit, by cancellation. All unwind the stack, run the
// destructors of thread-local objects and keys, and leave the schedule. Only the system call exit
// does none of that but the last.
#pragma once

#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// Unwinds the current thread up to its start (running C++ destructors and C cleanup handlers) and
// ends it with `result`.
[[noreturn]] void exit_current_thread(void* result);

// The start routine is done (returned or unwound): destructors, then off the schedule.
[[noreturn]] void end_of_thread(Thread& thread);

// Whether nobody else is left, who would go on when the current thread has ended.
bool is_last_thread();

// What the system call exit does: no handler, no destructor.
[[noreturn]] void exit_current_thread_at_once();

// Destructors of thread_local objects (__cxa_thread_atexit) of the current thread.
void run_tls_destructors(Thread& thread);
// Destructors of pthread keys of the current thread.
void run_key_destructors(Thread& thread);
// The storage for values of keys goes to the next thread in the slot, the values do not.
void forget_key_values(Thread& thread);

}  // namespace jostle::rt
