// SPDX-License-Identifier: Apache-2.0
// The watchdog: runs that have had their real time, and loops without any hook.
//
// A run that gets on for too long is cut off. One that has reached no hook between two ticks may
// compute, or never come back: then it is looked at every other millisecond. If it is only ever met
// in states in which it was before (registers and stack), it is a loop without end; if it is met in
// two states at one place, or in code that is not instrumented, it computes.
//
// A loop may read memory where no hook is: locks in inline assembly do. So it has no end only if
// nobody else can go on: those who can do, and it waits for them (unseen_loop.h). That takes a
// third of a second the first time; in the runs that follow, two milliseconds in the same function.
#pragma once

#include <cstdint>

namespace jostle::rt {

// Installs its handler; on the stack of the handlers of fatal signals.
void install_watchdog();

// Real time after which the run is ended; 0: never.
void start_watchdog(uint64_t nanoseconds);
// The same for runs that follow each other in one process: started once; each run says that it
// begins.
void watch_run(uint64_t number);

}  // namespace jostle::rt
