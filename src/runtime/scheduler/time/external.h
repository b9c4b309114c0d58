// SPDX-License-Identifier: Apache-2.0
// Waiting for the world outside the process, when no thread inside can go on.
//
// A thread that waits for a descriptor or a child process does so with WaitOptions::external; its
// ready check asks the kernel about what other threads of this process can bring about, and never
// about the outside: input from outside counts as arrived only when the scheduler had nothing else
// to run and came here. So the moment of its arrival is no nondeterminism of the run.
#pragma once

#include <cstdint>

#include "src/base/kept.h"

namespace jostle::rt {

// Blocks the process until something that the waiting threads wait for from outside may have
// happened, at most `real_timeout_ns` (negative: as long as it takes; 0: only looks). True: ask the
// external waiters again (Scheduler::poll_external). False: nothing outside can end any of the
// waits (or, with a time-out, nothing has happened in that time).
bool wait_for_external_events(int64_t real_timeout_ns);

// May the world outside end a wait, or send a signal?
bool outside_may_interfere();
// Have other processes been started that may act on this one? Then it is looked now and then
// whether they have, also while threads are busy.
extern JOSTLE_HIDDEN bool g_outside_watched;
// May one of them still do something that threads wait for: end, or send a signal that is handled?
bool outside_may_act();
// The same, or write to a descriptor that threads wait for.
bool outside_is_awaited();

}  // namespace jostle::rt
