// SPDX-License-Identifier: Apache-2.0
// Callbacks: functions of the program that an event loop calls.
//
// Nobody is patched for this. A function that was entered from a library (libuv, libevent, not libc
// or the language's own) is one. Where the loop is the program's own code, or a template like
// Asio's, those functions are that a frame enters which was on the stack when the thread waited for
// events (event_loop.h says what counts). They end when they return; what they call belongs to
// them.
//
// From the order of callbacks come features of a run: two callbacks one after the other, a callback
// while something else was ready, the n-th time that one is called. A run with a feature that no
// run had before is worth to go on from, see strategy/events/events.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/kept.h"
#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

void begin_callbacks();

// A function is entered by a library or by a frame of an event loop; `function` is an address in
// it. Before the call stack knows of it.
void may_be_callback(Thread& thread, uintptr_t function, uintptr_t caller);
// A function returns, to fewer frames than Thread::exits_seen_below.
void function_returns(Thread& thread);

// The current thread's event loop begins to wait.
void loop_waits();
// The current thread's event loop, waiting at `pc`, learns of these descriptors. `passed_over` is
// a hash of the set of those that were ready as well.
void note_loop_report(uintptr_t pc, const int* descriptors, size_t count, uint64_t passed_over);

// Something of a run, by what is the same in every run; counts when no run had it before. The run
// is worth to go on from where the last of them is, or the last that `leads_on`: a callback that is
// called more often than ever shows that the program got further.
void note_event_feature(uint64_t feature, bool leads_on = false);

}  // namespace jostle::rt
