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

// May the world outside end a wait, send a signal, or write to memory that it shares?
bool outside_may_interfere();
// Have other processes been started that may act on this one? Then it is looked now and then
// whether they have, also while threads are busy.
extern JOSTLE_HIDDEN bool g_outside_watched;
// May one of them still do something that threads wait for: end, send a signal that is handled, or
// write to shared memory?
bool outside_may_act();
// Is there memory that the program shares with a process which lives? It may be what a loop waits
// for.
bool others_may_write();
// The same as outside_may_act, or write to a descriptor that threads wait for.
bool outside_is_awaited();

// ---- the processes that the program has forked (interpose/process/family_time.cc)
//
// They share one time: nobody lets it pass to a moment before which another one that lives may
// still do something.

// Something is about to be looked for; the value goes to family_sleeps_until. 0: there is no
// family.
uint64_t before_family_look();
// It was not found: this process waits, and goes on by itself at that time (INT64_MAX: never).
void family_sleeps_until(int64_t time, uint64_t seen);
// It goes on.
void family_goes_on(int64_t now);
bool family_may_act_before(int64_t time);
// There are no other processes that may act on the program.
bool family_is_complete();
// The latest that one of them has come to.
int64_t family_time();

}  // namespace jostle::rt
