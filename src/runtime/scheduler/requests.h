// SPDX-License-Identifier: Apache-2.0
// What other threads ask of one, and it does at its next hook: to handle a signal, to end. The
// scheduler knows when; how is the business of the hooks, which define these
// (interpose/signal/signal.cc, interpose/thread/thread_end.cc).
#pragma once

namespace jostle::rt {

struct SuspendedWait;

// Runs the handlers of all signals that are pending for the current thread and not blocked by it;
// `interrupted` is the wait that they interrupt, if any. Does not return if the default action of
// one of them ends the process, or a handler jumps elsewhere or ends the thread.
void deliver_pending_signals(SuspendedWait* interrupted);

// Acts on a pending cancellation request, if cancellation is enabled; may not return (it unwinds).
// Hooks of functions that are cancellation points call it at entry.
void cancellation_point();
// The same in front of a wait that looks for itself.
void look_for_cancellation();
// The same after a Wake::cancelled.
void end_if_cancelled();

}  // namespace jostle::rt
